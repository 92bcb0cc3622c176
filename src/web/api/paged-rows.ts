import { keepPreviousData, useInfiniteQuery, useQueries } from "@tanstack/react-query";

export const PAGE = 100;
const FOUND_PAGE = 200;
/** Rows requested beyond the screen; otherwise they are drawn twice, visibly. */
const AHEAD = 50;
/**
 * Browsers draw about 17 million pixels at most: this many rows of phone height fit, the rest goes into
 * further parts.
 */
export const PART = 180_000;

/** Rows of a virtual list. `rowAt` is undefined while a row is being fetched. */
export type Rows<Row> = {
  count: number;
  rowAt: (index: number) => Row | undefined;
  see: (first: number, last: number) => void;
  waiting: boolean;
  error: unknown;
  blank: boolean;
  retry: () => void;
};

type Ask<Page> = (wish: { after: number; limit: number; signal: AbortSignal }) => Promise<Page>;
type Paged<Row> = { items: readonly Row[]; next: number | null };

/**
 * Rows with places without gaps, from `from` on: each page is requested by itself, so a million rows open at
 * once. `seen`: visible pages, kept by the caller.
 */
export function useRowsByPlace<Row>(
  key: readonly unknown[],
  { count, from, seen, setSeen }: { count: number; from: number; seen: Seen; setSeen: (seen: Seen) => void },
  ask: Ask<Paged<Row>>,
): Rows<Row> {
  const last = Math.min(seen[1], Math.max(0, Math.ceil(count / PAGE) - 1));
  const pages = count === 0 ? [] : span(Math.min(seen[0], last), last);
  const answers = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, from + page * PAGE],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ask({ after: from + page * PAGE - 1, limit: PAGE, signal }),
    })),
  });
  const failed = answers.filter((answer) => answer.isError && !answer.data);
  return {
    count,
    rowAt: (index) => answers[pages.indexOf(Math.floor(index / PAGE))]?.data?.items[index % PAGE],
    see: (first, end) => {
      const wanted = [pageAt(first - AHEAD), pageAt(end + AHEAD)] as const;
      if (wanted[0] !== seen[0] || wanted[1] !== seen[1]) setSeen(wanted);
    },
    waiting: false,
    error: failed[0]?.error ?? null,
    blank: failed.length > 0 && failed.length === answers.length && seen[0] === 0,
    retry: () => {
      for (const answer of failed) void answer.refetch();
    },
  };
}

export type Seen = readonly [number, number];

export function useRowsFound<Row>(key: readonly unknown[], enabled: boolean, ask: Ask<Paged<Row>>) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask({ after: pageParam, limit: FOUND_PAGE, signal }),
    initialPageParam: -1,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled,
  });
  const found = query.data?.pages.flatMap((page) => page.items) ?? [];
  const more = query.hasNextPage && found.length < PART;
  const rows: Rows<Row> = {
    count: found.length + (more ? 1 : 0),
    rowAt: (index) => found[index],
    see: (_, end) => {
      // A refetch does not block it: while a campaign sends, there is always one.
      if (more && end >= found.length - AHEAD && !query.isFetchingNextPage && !query.isError)
        void query.fetchNextPage();
    },
    // An empty result of the previous search must not be shown for this one.
    waiting: enabled && (query.isPending || (query.isPlaceholderData && found.length === 0)),
    error: query.isError ? query.error : null,
    blank: query.isError && !query.data,
    retry: () => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch()),
  };
  return { rows, more, pages: query.data?.pages.length ?? 0 };
}

const pageAt = (place: number) => Math.max(0, Math.floor(place / PAGE));

const span = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, place) => first + place);
