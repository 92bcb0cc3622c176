import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { History } from "lucide-react";
import { useState } from "react";
import type { AuditEvent, AuditGroup } from "../../../contract/audit.ts";
import { api } from "../../api/call.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { activityText as t } from "../../messages/activity.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { Select } from "../../ui/inputs.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import { ActivityRow } from "./activity-row.tsx";
import styles from "./activity-tab.module.css";
import settingsStyles from "./settings.module.css";

type Shown = AuditGroup | "all";

const OPTIONS = Object.entries(t.groups).map(([value, label]) => ({ value, label }));

export function ActivityTab() {
  const [shown, setShown] = useState<Shown>("all");
  return (
    <section className={cardStyles.card} aria-labelledby="settings-activity">
      <div className={clsx(cardStyles.cardHead, settingsStyles.settingsHead)} data-ui="card-head">
        <div>
          <h2 id="settings-activity" className={cardStyles.cardTitle}>
            {t.title}
          </h2>
          <p className={textStyles.quiet}>{t.explained}</p>
        </div>
        <div className={styles.activityFilter}>
          <Select
            label={t.filter}
            hiddenLabel
            options={OPTIONS}
            value={shown}
            onChange={(event) => setShown(event.target.value as Shown)}
          />
        </div>
      </div>
      <Events shown={shown} onAll={() => setShown("all")} />
    </section>
  );
}

function useActivity(shown: Shown) {
  return useInfiniteQuery({
    queryKey: ["settings", "activity", shown],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/audit", {
        query: {
          ...(shown === "all" ? {} : { group: shown }),
          ...(pageParam ? { after: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  });
}

function Events({ shown, onAll }: { shown: Shown; onAll: () => void }) {
  const query = useActivity(shown);
  const old = useRefetchError(query);
  const events: readonly AuditEvent[] = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (query.isPending || (query.isPlaceholderData && events.length === 0))
    return (
      <Skeleton className={settingsStyles.settingsInside}>
        {[62, 48, 70, 55].map((width) => (
          <Bone key={width} width={`${width}%`} style={{ marginTop: 22 }} />
        ))}
      </Skeleton>
    );
  const errorNotice = (
    <div className={settingsStyles.settingsInside}>
      <QueryError title={t.failed} query={query} />
    </div>
  );
  if (query.isError && events.length === 0) return errorNotice;
  if (events.length === 0)
    return (
      <div className={settingsStyles.settingsEmpty}>
        <EmptyState found={shown !== "all"} icon={History} title={t.empty} text={t.emptyText}>
          {shown !== "all" && (
            <Button
              onClick={(event) => {
                restoreFocus(event)();
                onAll();
              }}
            >
              {t.showAll}
            </Button>
          )}
        </EmptyState>
      </div>
    );
  return (
    <>
      {old && errorNotice}
      <ul
        className={clsx(
          settingsStyles.settingsRows,
          styles.settingsRows,
          settingsStyles.lines,
          styles.activity,
        )}
        aria-label={t.label}
        aria-busy={query.isPlaceholderData}
      >
        {events.map((event) => (
          <ActivityRow key={event.id} event={event} />
        ))}
      </ul>
      <MoreButton
        key={shown}
        query={query}
        failed={t.failed}
        label={t.more}
        className={styles.activityMore}
      />
    </>
  );
}
