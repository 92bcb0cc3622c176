import { clsx } from "clsx";
import { Users } from "lucide-react";
import type { ReactNode } from "react";
import { commonText } from "../../messages/common.ts";
import { peopleText as t } from "../../messages/people.ts";
import type { PeopleAddress } from "../../routes/people.ts";
import { ClearButton } from "../../ui/clear-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import type { usePeople } from "./use-people.ts";

type RowsProps = {
  address: PeopleAddress;
  people: ReturnType<typeof usePeople>;
  table: ReactNode;
  onClear: () => void;
};

export function PeopleRows({ address, people: { query, rows }, table, onClear }: RowsProps) {
  const { busca, lista } = address;
  // The previous search was empty; this one may not be.
  if (query.isPending || (query.isPlaceholderData && rows.length === 0)) return <TableSkeleton />;
  if (query.error && rows.length === 0)
    return (
      <div className={layoutStyles.pad4}>
        <QueryError title={t.failed} query={query} />
      </div>
    );
  if (rows.length === 0 && busca !== undefined)
    return (
      <EmptyState found icon={Users} title={t.nothing.title} text={t.nothing.text(busca)}>
        <ClearButton onClear={onClear}>{commonText.clearSearch}</ClearButton>
      </EmptyState>
    );
  if (rows.length === 0)
    return (
      <EmptyState
        icon={Users}
        title={lista === undefined ? t.empty.title : t.empty.inList}
        text={t.empty.text}
      >
        <LinkButton look="primary" to="/contacts" search={{ abrir: "importar" }}>
          {t.empty.action}
        </LinkButton>
      </EmptyState>
    );
  return (
    <>
      {table}
      {query.isFetchNextPageError && (
        <div className={layoutStyles.pad4}>
          <QueryError
            title={t.failed}
            query={{ ...query, refetch: () => query.fetchNextPage(), isFetching: query.isFetchingNextPage }}
          />
        </div>
      )}
    </>
  );
}

function TableSkeleton() {
  return (
    <Skeleton className={clsx(layoutStyles.stack4, layoutStyles.pad6)}>
      {["60%", "48%", "56%", "40%", "52%", "44%"].map((width) => (
        <Bone key={width} width={width} />
      ))}
    </Skeleton>
  );
}
