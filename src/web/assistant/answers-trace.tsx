import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../api/call.ts";
import { usePollingWhenDown } from "../api/events.ts";
import { assistantText as t } from "../messages/assistant.ts";
import emptyStateStyles from "../ui/empty-state.module.css";
import { QueryError } from "../ui/error-notice.tsx";
import { MoreButton } from "../ui/more-button.tsx";
import { Bone, Skeleton } from "../ui/skeleton.tsx";
import { AnswerList } from "./answer-list.tsx";

export function AnswersTrace({ connectionId }: { connectionId: number }) {
  const query = useInfiniteQuery({
    queryKey: ["agents", "answers", connectionId],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/connections/{id}/assistant/answers", {
        params: { id: connectionId },
        query: pageParam ? { cursor: pageParam } : {},
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
    refetchInterval: usePollingWhenDown(5_000),
  });
  const answers = query.data?.pages.flatMap((page) => page.answers) ?? [];
  if (query.isPending)
    return (
      <Skeleton>
        {[88, 72, 80].map((width) => (
          <Bone key={width} width={`${width}%`} style={{ marginBottom: 28 }} />
        ))}
      </Skeleton>
    );
  if (query.isError && answers.length === 0) return <QueryError title={t.traceFailed} query={query} />;
  if (answers.length === 0)
    return (
      <div className={emptyStateStyles.blank} data-ui="blank">
        <h2>{t.traceEmpty}</h2>
        <p>{t.traceEmptyText}</p>
      </div>
    );
  return (
    <>
      <AnswerList answers={answers} named />
      <MoreButton small query={query} failed={t.traceFailed} label={t.more} />
    </>
  );
}
