import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Campaign, Delivery } from "../../../../contract/campaigns.ts";
import type { BreakerFailure } from "../../../../domain/breaker.ts";
import type { ShownDelivery } from "../../../../domain/campaign.ts";
import { api } from "../../../api/call.ts";
import { invalidateQuery } from "../../../api/invalidate.ts";
import { PART, type Rows, type Seen, useRowsByPlace, useRowsFound } from "../../../api/paged-rows.ts";

/** Up to this many filtered pages are refetched on a change; beyond it the rows stay as read. */
const LIVE_PAGES = 5;

export type Wanted = {
  status: ShownDelivery | undefined;
  failure: BreakerFailure | undefined;
  search: string;
};

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

export function useFiltered(
  campaign: Campaign,
  { status, failure, search }: Wanted,
  enabled: boolean,
): Rows<Delivery> {
  const queries = useQueryClient();
  const { id } = campaign;
  const { rows, pages } = useRowsFound<Delivery>(
    ["deliveries", id, status ?? "", failure ?? "", search],
    enabled,
    ({ signal, ...page }) =>
      api("GET /api/campaigns/{id}/deliveries", {
        params: { id },
        query: { status, failure, search, ...page },
        signal,
      }),
  );
  const moved = JSON.stringify(campaign.counts.states);
  const seen = useRef(moved);
  useEffect(() => {
    // Refetch only on a change of the campaign, not on a new page.
    if (moved === seen.current) return;
    seen.current = moved;
    if (enabled && pages <= LIVE_PAGES) invalidateQuery(queries, ["deliveries", id]);
  }, [moved, pages, enabled, queries, id]);
  return rows;
}
