import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { api } from "./call.ts";
import { usePollingWhenDown, whenChanged } from "./events.ts";
import { invalidateQuery } from "./invalidate.ts";

const firstStepsQuery = queryOptions({
  queryKey: ["first-steps"],
  queryFn: ({ signal }) => api("GET /api/dashboard/first-steps", { signal }),
  // It follows from several topics, and hears of them only while somebody looks.
  staleTime: 0,
  refetchOnMount: "always",
});

/** What a step may follow from. */
const TOPICS: ReadonlySet<string> = new Set(["connections", "contacts", "imports", "chats", "campaigns"]);

/** The first steps of this account, ticked off as they are taken, in whatever tab. */
export function useFirstSteps(enabled: boolean) {
  const queries = useQueryClient();
  const query = useQuery({ ...firstStepsQuery, enabled, refetchInterval: usePollingWhenDown(30_000) });
  useEffect(() => {
    if (!enabled) return;
    let asked: number | undefined;
    const stop = whenChanged(({ topic }) => {
      if (!TOPICS.has(topic)) return;
      // After a while without the stream each topic is told: one question answers them all.
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

/** Puts the first steps away, or shows them again. */
export function useHideFirstSteps(): (stepsHidden: boolean) => Promise<void> {
  const router = useRouter();
  return useCallback(
    async (stepsHidden) => {
      const me = await api("PATCH /api/settings/profile", { body: { stepsHidden } });
      router.options.context.session.remember(me);
      await router.invalidate();
    },
    [router],
  );
}
