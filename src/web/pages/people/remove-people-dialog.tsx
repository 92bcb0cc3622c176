import type { Selection } from "../../../contract/people.ts";
import { api } from "../../api/call.ts";
import { peopleText } from "../../messages/people.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = peopleText.remove;

type Props = {
  selection: Selection;
  count: number | null;
  onDone: () => void;
  onClose: () => void;
};

export function RemovePeopleDialog({ selection, count, onDone, onClose }: Props) {
  const changed = usePeopleChanged();
  return (
    <ConfirmDialog
      question={t.question(count ?? 0)}
      known={count !== null}
      verb={t.verb}
      busyText={t.busy}
      failure={t.failed}
      onConfirm={async () => {
        const { people } = await api("POST /api/people/remove", { body: { selection } });
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
