import { keepPreviousData, useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Campaign, Delivery } from "../../../../contract/campaigns.ts";
import type { ShownDelivery } from "../../../../domain/campaign.ts";
import { api } from "../../../api/call.ts";

const PAGE = 100;
const FILTERED_PAGE = 200;
/** As many filtered pages are asked for anew when something changes; who scrolled further keeps what was read. */
const LIVE_PAGES = 5;
/** Browsers draw nothing beyond some 17 million pixels: so many rows of a phone's height fit, the rest is in further parts. */
export const PART = 180_000;

export type Wanted = { status: ShownDelivery | undefined; search: string };

/** Rows of a table of which only the visible ones are fetched. `rowAt` is undefined while a row is on its way. */
export type Rows = {
  count: number;
  rowAt: (index: number) => Delivery | undefined;
  /** The rows now on the screen, ends included. */
  see: (first: number, last: number) => void;
  waiting: boolean;
  error: unknown;
  retry: () => void;
};

/**
 * Everybody of a campaign, from person `from` on: their places have no gaps, so each page can be asked for by itself and a million rows
 * open at once.
 */
export function useEverybody(campaign: Campaign, from: number, enabled: boolean): Rows {
  const [pages, setPages] = useState<readonly [number, number]>([0, 0]);
  const count = enabled ? Math.max(0, Math.min(PART, campaign.counts.total - from)) : 0;
  const last = Math.min(pages[1], Math.max(0, Math.ceil(count / PAGE) - 1));
  const places = count === 0 ? [] : span(Math.min(pages[0], last), last);
  const answers = useQueries({
    queries: places.map((place) => ({
      queryKey: ["campaigns", "deliveries", campaign.id, from + place * PAGE],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api("GET /api/campaigns/{id}/deliveries", {
          params: { id: campaign.id },
          query: { after: from + place * PAGE - 1, limit: PAGE },
          signal,
        }),
    })),
  });
  return {
    count,
    rowAt: (index) => {
      const answer = answers[places.indexOf(Math.floor(index / PAGE))];
      return answer?.data?.items[index % PAGE];
    },
    see: (first, end) => {
      const wanted = [Math.floor(first / PAGE), Math.floor(end / PAGE)] as const;
      if (wanted[0] !== pages[0] || wanted[1] !== pages[1]) setPages(wanted);
    },
    waiting: false,
    error: answers.find((answer) => answer.isError && !answer.data)?.error ?? null,
    retry: () => {
      for (const answer of answers) void answer.refetch();
    },
  };
}

/** Those in one state, or found by name or phone: asked for page after page as one scrolls. */
export function useFiltered(campaign: Campaign, { status, search }: Wanted, enabled: boolean): Rows {
  const query = useInfiniteQuery({
    queryKey: ["deliveries", campaign.id, status ?? "", search],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/campaigns/{id}/deliveries", {
        params: { id: campaign.id },
        query: { status, search, after: pageParam, limit: FILTERED_PAGE },
        signal,
      }),
    initialPageParam: -1,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled,
  });
  const { refetch } = query;
  const loaded = query.data?.pages.length ?? 0;
  const moved = JSON.stringify(campaign.counts.states);
  const seen = useRef(moved);
  useEffect(() => {
    // Only what moved in the campaign is a reason to ask again, not another page that arrived.
    if (moved === seen.current) return;
    seen.current = moved;
    if (enabled && loaded > 0 && loaded <= LIVE_PAGES) void refetch();
  }, [moved, loaded, enabled, refetch]);
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  const more = query.hasNextPage && rows.length < PART;
  return {
    count: rows.length + (more ? 1 : 0),
    rowAt: (index) => rows[index],
    see: (_, end) => {
      if (more && end >= rows.length - 20 && !query.isFetching) void query.fetchNextPage();
    },
    waiting: query.isPending && enabled,
    error: query.isError && !query.data ? query.error : null,
    retry: () => void refetch(),
  };
}

const span = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, place) => first + place);
