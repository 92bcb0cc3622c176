import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AssistantLink } from "../../contract/agents.ts";
import { agentsQuery, linksQuery } from "../api/agents.ts";
import { ApiError, orGone } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { assistantText as t } from "../messages/assistant.ts";
import { toastDone, toastUndo } from "../ui/toast.tsx";

type Failed = { title: string; error: unknown };
type Undoable = { said: string; undo: () => Promise<string> };

export function useAssistant(connectionId: number) {
  const queries = useQueryClient();
  const agents = useQuery(agentsQuery);
  const links = useQuery(linksQuery);
  const [busy, setBusy] = useState<string | null>(null);
  const [failed, setFailed] = useState<Failed | null>(null);
  const link = links.data?.links.find((each) => each.connectionId === connectionId) ?? null;

  const refresh = () => {
    // Not awaited: instance cards name their assistant, and one of the servers they ask may be slow.
    void queries.invalidateQueries({ queryKey: ["connections", "instances"] });
    return queries.invalidateQueries({ queryKey: linksQuery.queryKey });
  };

  async function attempt(what: string, title: string, act: () => Promise<string | Undoable>): Promise<void> {
    setBusy(what);
    setFailed(null);
    try {
      const done = await act();
      await refresh();
      if (typeof done === "string") toastDone(done);
      else toastUndo(done.said, done.undo);
    } catch (error) {
      setFailed({ title, error });
      void refresh();
    } finally {
      setBusy(null);
    }
  }

  return {
    ...linkActions(connectionId, attempt, refresh),
    link,
    busy,
    failed,
    agents: agents.data ?? [],
    isPending: agents.isPending || links.isPending,
    isFetching: agents.isFetching || links.isFetching,
    /** A missing key is a state with a way on, not an error. */
    noKey: agents.error instanceof ApiError && agents.error.code === "mistral_no_key",
    error: agents.error ?? links.error,
    retry: () => void Promise.all([agents.refetch(), links.refetch()]),
  };
}

type Attempt = (what: string, title: string, act: () => Promise<string | Undoable>) => Promise<void>;

function linkActions(connectionId: number, attempt: Attempt, refresh: () => Promise<void>) {
  const params = { id: connectionId };
  return {
    choose: (agentId: string, name: string) =>
      attempt(agentId, t.linkFailed, async () => {
        await api("PUT /api/connections/{id}/assistant", { params, body: { agentId } });
        return t.linked(name);
      }),
    setActive: (active: boolean, { agentId, agentName }: AssistantLink) =>
      attempt("active", t.updateFailed, async () => {
        await api("PATCH /api/connections/{id}/assistant", { params, body: { agentId, active } });
        return active ? t.activated(agentName) : t.deactivated(agentName);
      }),
    setPause: (pauseMinutes: number) =>
      attempt("pause", t.updateFailed, async () => {
        await api("PATCH /api/connections/{id}/assistant", { params, body: { pauseMinutes } });
        return t.saved;
      }),
    remove: () =>
      attempt("remove", t.unlinkFailed, async () => {
        const removed = await orGone(api("DELETE /api/connections/{id}/assistant", { params }));
        if (!removed) return t.removed;
        const { undo } = removed;
        const back = async () => {
          await api("POST /api/connections/{id}/assistant/restore", { params, body: { undo } });
          await refresh();
          return t.restored;
        };
        return { said: t.removed, undo: back };
      }),
  };
}
