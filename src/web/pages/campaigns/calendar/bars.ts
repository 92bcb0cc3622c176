import type { CSSProperties } from "react";
import type { CampaignCalendar } from "../../../../contract/campaign-calendar.ts";
import type { Segment } from "../../../../domain/campaign-calendar.ts";

export const placeOf = ({ column, days, lane }: Segment): CSSProperties => ({
  gridColumn: `${column + 1} / span ${days}`,
  gridRow: lane + 1,
});

export const clashesIn =
  ({ conflicts }: CampaignCalendar) =>
  (id: number, first: string, last: string): boolean =>
    conflicts.shared.some(
      ({ from, to, campaigns }) =>
        from <= last && to >= first && campaigns.some((campaign) => campaign.id === id),
    );
