import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { api } from "./call.ts";
import { usePollingWhenDown, whenChanged } from "./events.ts";
import { invalidateQuery } from "./invalidate.ts";

const firstStepsQuery = queryOptions({
  queryKey: ["first-steps"],
  queryFn: ({ signal }) => api("GET /api/dashboard/first-steps", { signal }),
  // It depends on several topics and receives their changes only while mounted.
  staleTime: 0,
  refetchOnMount: "always",
});

const TOPICS: ReadonlySet<string> = new Set(["connections", "contacts", "imports", "chats", "campaigns"]);

export function useFirstSteps(enabled: boolean) {
  const queries = useQueryClient();
  const query = useQuery({ ...firstStepsQuery, enabled, refetchInterval: usePollingWhenDown(30_000) });
  useEffect(() => {
    if (!enabled) return;
    let asked: number | undefined;
    const stop = whenChanged(({ topic }) => {
      if (!TOPICS.has(topic)) return;
      // After a gap of the stream every topic is reported: one request is enough.
      clearTimeout(asked);
      asked = window.setTimeout(() => invalidateQuery(queries, firstStepsQuery.queryKey));
    });
    return () => {
      clearTimeout(asked);
      stop();
    };
  }, [enabled, queries]);
  return query;
}

export function useHideFirstSteps(): (stepsHidden: boolean) => Promise<void> {
  const router = useRouter();
  return useCallback(
    async (stepsHidden) => {
      const me = await api("PATCH /api/settings/profile", { body: { stepsHidden } });
      router.options.context.session.update(me);
      await router.invalidate();
    },
    [router],
  );
}
