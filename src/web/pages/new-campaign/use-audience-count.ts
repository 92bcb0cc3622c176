import { type QueryClient, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import type { AudienceCount, AudienceQuestion } from "../../../contract/audiences.ts";
import { ApiError } from "../../api/api-error.ts";
import { listsMenuQuery } from "../../api/contacts.ts";
import { audienceCountQuery, campaignNameQuery, segmentsQuery } from "../../api/segments.ts";
import { listName } from "../../lib/list-name.ts";
import { usePaused } from "../../lib/use-paused.ts";
import type { Known } from "../../library/use-known.ts";
import { anyGone, type Gone, listIdOf, questionOf } from "./audience-edit.ts";
import type { CampaignForm } from "./form.ts";
import type { useLists } from "./use-audience.ts";
import { useConnectionChoice } from "./use-connection-choice.ts";

type Names = {
  list: (id: number) => string | null | undefined;
  segment: (id: number) => string | null | undefined;
  campaign: (id: number) => string | null | undefined;
  isBroken: (segmentId: number) => boolean;
};

export type CountedAudience = {
  question: AudienceQuestion | null;
  count: AudienceCount | undefined;
  isFresh: boolean;
  isFetching: boolean;
  error: unknown;
  refetch: () => unknown;
  names: Names;
  gone: Gone;
};

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404;

/** The first list is not among them: its own field says it. */
function goneIn(queries: QueryClient, { list, audience }: CampaignForm): Gone {
  const lists = queries.getQueryData(listsMenuQuery.queryKey);
  const segments = queries.getQueryData(segmentsQuery.queryKey);
  const missing = (ids: readonly number[], known: readonly { id: number }[] | undefined) =>
    known === undefined ? [] : ids.filter((id) => !known.some((each) => each.id === id));
  const { without } = audience;
  const further = [...audience.listIds, ...without.listIds].filter((id) => String(id) !== list);
  return {
    lists: missing(further, lists),
    segments: missing(
      audience.segmentIds,
      segments?.filter(({ broken }) => !broken),
    ),
    campaigns: without.campaignIds.filter((id) =>
      isMissing(queries.getQueryState(campaignNameQuery(id).queryKey)?.error),
    ),
  };
}

export function useHasGone() {
  const queries = useQueryClient();
  return useCallback((form: CampaignForm) => anyGone(goneIn(queries, form)), [queries]);
}

export function useAudienceCount(
  form: CampaignForm,
  used: readonly Known[],
  lists: ReturnType<typeof useLists>,
): CountedAudience {
  const queries = useQueryClient();
  const names = useNames(form, lists);
  const { meant } = useConnectionChoice(form.connection);
  const gone = goneIn(queries, form);
  const first = listIdOf(form);
  const firstGone = first !== null && names.list(first) === null;
  const variables = used.map(({ key }) => {
    const chosen = form.variables.find((each) => each.key === key);
    return { key, fallback: chosen?.fallback === null ? null : "" };
  });
  const wanted = questionOf(
    form,
    meant?.id ?? null,
    variables,
    firstGone ? { ...gone, lists: [...gone.lists, first] } : gone,
  );
  const written = JSON.stringify(wanted);
  const paused = usePaused(written);
  const question = JSON.parse(paused) as AudienceQuestion | null;
  const query = useQuery(audienceCountQuery(question));
  const { error } = query;
  useEffect(() => {
    if (!isMissing(error)) return;
    for (const queryKey of [listsMenuQuery.queryKey, segmentsQuery.queryKey, ["campaign-name"]])
      void queries.invalidateQueries({ queryKey });
  }, [queries, error]);
  const count = wanted === null ? undefined : (query.data ?? undefined);
  return {
    question: wanted,
    count,
    isFresh: count !== undefined && paused === written && !query.isPlaceholderData && error === null,
    isFetching: query.isFetching || paused !== written,
    error: wanted === null ? null : error,
    refetch: query.refetch,
    names,
    gone,
  };
}

function useNames({ audience }: CampaignForm, lists: ReturnType<typeof useLists>): Names {
  const segments = useQuery({ ...segmentsQuery, enabled: audience.segmentIds.length > 0 });
  const { campaignIds } = audience.without;
  const campaigns = useQueries({ queries: campaignIds.map(campaignNameQuery) });
  return {
    list: (id) => {
      const list = lists.data?.find((each) => each.id === id);
      return list ? listName(list) : lists.data && null;
    },
    segment: (id) => {
      const segment = segments.data?.find((each) => each.id === id);
      return segment ? segment.name : segments.data && null;
    },
    isBroken: (id) => segments.data?.find((each) => each.id === id)?.broken ?? false,
    campaign: (id) => {
      const query = campaigns[campaignIds.indexOf(id)];
      return isMissing(query?.error) ? null : query?.data;
    },
  };
}
