import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "./button.tsx";
import { Fault } from "./error-notice.tsx";

type Pages = { pages: readonly unknown[] };
type Props = {
  query: Pick<
    UseInfiniteQueryResult<Pages>,
    "data" | "error" | "fetchNextPage" | "hasNextPage" | "isFetchNextPageError" | "isFetchingNextPage"
  >;
  /** Heading of the red box when the next page does not come. */
  failed: string;
  label: string;
  className?: string;
  small?: boolean;
  /** What a press does, where it is not only to fetch. */
  onMore?: () => void;
};

/**
 * Below rows that come page by page. A next page that failed is said in its place: the rows above are all that there is as yet. Of rows
 * that are searched or filtered `key` must say how.
 */
export function MoreButton({ query, failed, label, className, small = false, onMore }: Props) {
  const { isFetchingNextPage: busy, fetchNextPage } = query;
  const pages = query.data?.pages.length;
  /** The rows above may be asked for anew at any time, and the query then knows of no fault: the press would seem to have done nothing. */
  const [lost, setLost] = useState<{ error: Error; pages: number | undefined } | null>(null);
  const error = query.isFetchNextPageError ? query.error : lost?.pages === pages && lost?.error;
  if (!query.hasNextPage) return null;
  const more = async () => {
    const { error, data } = await fetchNextPage();
    setLost(error && { error, pages: data?.pages.length });
  };
  return (
    <div className={className}>
      {error ? (
        <Fault title={failed} error={error} busy={busy} onRetry={more} />
      ) : (
        <Button small={small} busy={busy} onClick={onMore ?? more}>
          {label}
        </Button>
      )}
    </div>
  );
}
