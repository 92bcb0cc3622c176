import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { listName } from "../../lib/list-name.ts";
import { contactsText } from "../../messages/contacts.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toastDone } from "../../ui/toast.tsx";

const t = contactsText.remove;

export function DeleteListDialog({ list, onClose }: { list: ContactListCard; onClose: () => void }) {
  const queries = useQueryClient();
  const name = listName(list);
  const waiting = useWaitingFor(list.id);
  const remove = async () => {
    const removed = await orGone(api("DELETE /api/contact-lists/{id}", { params: { id: list.id } }));
    await queries.invalidateQueries({ queryKey: ["contacts"] });
    toastDone(t.done(name, removed?.contacts ?? list.count));
  };
  return (
    <ConfirmDialog
      question={t.question}
      known={waiting !== null}
      verb={t.verb}
      busyText={t.busy}
      failure={t.failed}
      onConfirm={remove}
      onClose={onClose}
    >
      {t.lost(name, list.count)} {waiting !== null && stopped(waiting)}
      {waiting !== null && waiting.running > 0 && ` ${t.goesOn(waiting.running)}`}
    </ConfirmDialog>
  );
}

type Waiting = { scheduled: number; stopped: number; running: number };

function stopped({ scheduled, stopped }: Waiting): string {
  if (stopped > 0) return t.stopsWaiting(scheduled + stopped);
  return scheduled > 0 ? t.stops(scheduled) : "";
}

/**
 * Campaigns that would lose their people: not started yet. `running` ones have theirs and go on, as resends
 * do. Null until known, or on error.
 */
function useWaitingFor(listId: number): Waiting | null {
  const { data, isFetchedAfterMount } = useQuery({
    queryKey: ["campaigns", "waiting", listId],
    queryFn: async ({ signal }) => {
      const ask = (status: "scheduled" | "paused" | "sending") =>
        api("GET /api/campaigns", { query: { status, list: listId, limit: MOST }, signal });
      const [scheduled, paused, sending] = await Promise.all([
        ask("scheduled"),
        ask("paused"),
        ask("sending"),
      ]);
      const unbegun = paused.items.filter(({ started, resendsId }) => !started && resendsId === null);
      const running = sending.items.filter(({ started, resendsId }) => started && resendsId === null);
      return { scheduled: scheduled.found.campaigns, stopped: unbegun.length, running: running.length };
    },
    staleTime: 0,
  });
  return isFetchedAfterMount ? (data ?? { scheduled: 0, stopped: 0, running: 0 }) : null;
}

const MOST = 100;
