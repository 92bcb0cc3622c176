import { keepPreviousData, useInfiniteQuery, useQueries } from "@tanstack/react-query";

/** Rows that are asked for at once. */
export const PAGE = 100;
const FOUND_PAGE = 200;
/** So far beyond the screen rows are asked for: what comes only once its place is seen is drawn twice, and flashes. */
const AHEAD = 50;
/** Browsers draw nothing beyond some 17 million pixels: so many rows of a phone's height fit, the rest is in further parts. */
export const PART = 180_000;

/** Rows of a list of which only the visible ones are fetched. `rowAt` is undefined while a row is on its way. */
export type Rows<Row> = {
  count: number;
  rowAt: (index: number) => Row | undefined;
  /** The rows now on the screen, ends included. */
  see: (first: number, last: number) => void;
  waiting: boolean;
  error: unknown;
  /** Whether there is nothing to show but the fault. */
  blank: boolean;
  retry: () => void;
};

type Ask<Page> = (wish: { after: number; limit: number; signal: AbortSignal }) => Promise<Page>;
type Paged<Row> = { items: readonly Row[]; next: number | null };

/**
 * Rows whose places have no gaps, from place `from` on, so that each page can be asked for by itself and a million rows open at once.
 * `seen`: the pages on the screen, which the caller keeps.
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

/** First and last page on the screen. */
export type Seen = readonly [number, number];

/** Those that a search or filter finds: asked for page after page as one scrolls. */
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
      // Rows that are being asked for anew do not hold it up: while a campaign sends, they always are.
      if (more && end >= found.length - AHEAD && !query.isFetchingNextPage && !query.isError)
        void query.fetchNextPage();
    },
    // Rows of the search before may stand for a moment; that it found nobody says nothing of this one.
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
