import type { Selection } from "../../../contract/people.ts";
import { api } from "../../api/call.ts";
import { listName } from "../../lib/list-name.ts";
import { peopleText } from "../../messages/people.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = peopleText.takeOut;

type Props = {
  selection: Selection;
  count: number | null;
  list: { id: number; name: string };
  onDone: () => void;
  onClose: () => void;
};

/** For all that a search gives, whose order in the list no undo could bring back. */
export function TakeOutDialog({ selection, count, list, onDone, onClose }: Props) {
  const changed = usePeopleChanged();
  return (
    <ConfirmDialog
      question={t.question(count ?? 0, listName(list))}
      known={count !== null}
      verb={t.verb}
      busyText={t.busy}
      failure={t.failed}
      onConfirm={async () => {
        const body = { selection, listId: list.id };
        const { people } = await api("POST /api/people/remove-from-list", { body });
        await changed();
        onDone();
        toastDone(t.done(people));
      }}
      onClose={onClose}
    >
      <p>{t.text}</p>
    </ConfirmDialog>
  );
}
