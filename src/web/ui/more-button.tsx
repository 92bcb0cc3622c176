import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./error-notice.tsx";

type Pages = { pages: readonly unknown[] };
type Props = {
  query: Pick<
    UseInfiniteQueryResult<Pages>,
    "data" | "error" | "fetchNextPage" | "hasNextPage" | "isFetchNextPageError" | "isFetchingNextPage"
  >;
  failed: string;
  label: string;
  className?: string;
  small?: boolean;
  onMore?: () => void;
};

/** Its error is shown below the rows. `key` must name the search or filter. */
export function MoreButton({ query, failed, label, className, small = false, onMore }: Props) {
  const { isFetchingNextPage: busy, fetchNextPage } = query;
  const pages = query.data?.pages.length;
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
        <ErrorNotice title={failed} error={error} busy={busy} onRetry={more} />
      ) : (
        <Button small={small} busy={busy} onClick={onMore ?? more}>
          {label}
        </Button>
      )}
    </div>
  );
}
