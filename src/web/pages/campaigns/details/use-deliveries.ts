import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Campaign, Delivery } from "../../../../contract/campaigns.ts";
import type { ShownDelivery } from "../../../../domain/campaign.ts";
import { api } from "../../../api/call.ts";
import { invalidateQuery } from "../../../api/invalidate.ts";
import { PART, type Rows, type Seen, useRowsByPlace, useRowsFound } from "../../../api/paged-rows.ts";

/** As many filtered pages are asked for anew when something changes; who scrolled further keeps what was read. */
const LIVE_PAGES = 5;

export type Wanted = { status: ShownDelivery | undefined; search: string };

/** Everybody of a campaign, from person `from` on. */
export function useEverybody(campaign: Campaign, from: number, enabled: boolean): Rows<Delivery> {
  const [seen, setSeen] = useState<Seen>([0, 0]);
  const count = enabled ? Math.max(0, Math.min(PART, campaign.counts.total - from)) : 0;
  return useRowsByPlace(
    ["campaigns", "deliveries", campaign.id],
    { count, from, seen, setSeen },
    ({ signal, ...query }) =>
      api("GET /api/campaigns/{id}/deliveries", { params: { id: campaign.id }, query, signal }),
  );
}

/** Those in one state, or found by name or phone. */
export function useFiltered(
  campaign: Campaign,
  { status, search }: Wanted,
  enabled: boolean,
): Rows<Delivery> {
  const queries = useQueryClient();
  const { id } = campaign;
  const { rows, pages } = useRowsFound<Delivery>(
    ["deliveries", id, status ?? "", search],
    enabled,
    ({ signal, ...page }) =>
      api("GET /api/campaigns/{id}/deliveries", {
        params: { id },
        query: { status, search, ...page },
        signal,
      }),
  );
  const moved = JSON.stringify(campaign.counts.states);
  const seen = useRef(moved);
  useEffect(() => {
    // Only what moved in the campaign is a reason to ask again, not another page that arrived.
    if (moved === seen.current) return;
    seen.current = moved;
    if (enabled && pages <= LIVE_PAGES) invalidateQuery(queries, ["deliveries", id]);
  }, [moved, pages, enabled, queries, id]);
  return rows;
}
