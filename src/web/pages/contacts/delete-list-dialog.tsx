import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { api } from "../../api/call.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { toastDone } from "../../components/toast.tsx";
import { contactsText } from "../../messages/contacts.ts";
import { listName } from "./list-name.ts";

const t = contactsText.remove;

export function DeleteListDialog({ list, onClose }: { list: ContactListCard; onClose: () => void }) {
  const queries = useQueryClient();
  const name = listName(list);
  const waiting = useScheduledFor(list.id);
  const remove = async () => {
    const { contacts } = await api("DELETE /api/contact-lists/{id}", { params: { id: list.id } });
    await queries.invalidateQueries({ queryKey: ["contacts"] });
    toastDone(t.done(name, contacts));
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
      {t.lost(name, list.count)} {waiting !== null && waiting > 0 && t.stops(waiting)}
    </ConfirmDialog>
  );
}

/** Campaigns whose hour is still to come and that would have nobody to go to; null until the server has said it, or could not. */
function useScheduledFor(listId: number): number | null {
  const { data, isFetchedAfterMount } = useQuery({
    queryKey: ["campaigns", "scheduled", listId],
    queryFn: ({ signal }) =>
      api("GET /api/campaigns", { query: { status: "scheduled", list: listId, limit: 1 }, signal }),
    staleTime: 0,
  });
  return isFetchedAfterMount ? (data?.found.campaigns ?? 0) : null;
}
