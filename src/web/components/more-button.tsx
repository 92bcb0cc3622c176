import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "./button.tsx";
import { Fault } from "./fault.tsx";

type Props = {
  query: Pick<
    UseInfiniteQueryResult,
    "error" | "fetchNextPage" | "hasNextPage" | "isFetchNextPageError" | "isFetchingNextPage"
  >;
  /** Heading of the red box when the next page does not come. */
  failed: string;
  label: string;
  className?: string;
  small?: boolean;
  /** What a press does, where it is not only to fetch. */
  onMore?: () => void;
};

/** Below rows that come page by page. A next page that failed is said in its place: the rows above are all that there is as yet. */
export function MoreButton({ query, failed, label, className, small = false, onMore }: Props) {
  const { isFetchingNextPage: busy, fetchNextPage } = query;
  if (!query.hasNextPage) return null;
  const more = () => void fetchNextPage();
  return (
    <div className={className}>
      {query.isFetchNextPageError ? (
        <Fault title={failed} error={query.error} busy={busy} onRetry={more} />
      ) : (
        <Button small={small} busy={busy} onClick={onMore ?? more}>
          {label}
        </Button>
      )}
    </div>
  );
}
