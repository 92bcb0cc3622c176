import { useQuery } from "@tanstack/react-query";
import type { Selection } from "../../../contract/people.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { listsMenuQuery } from "../../api/contacts.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { listName } from "../../lib/list-name.ts";
import { contactsText } from "../../messages/contacts.ts";
import { peopleText } from "../../messages/people.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select, TextInput } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = peopleText.put;
const FRESH = "new";

type Props = { selection: Selection; count: number; onDone?: () => void; onClose: () => void };

export function PutInListDialog({ selection, count, onDone, onClose }: Props) {
  const lists = useQuery(listsMenuQuery);
  const changed = usePeopleChanged();
  const once = useIdempotentSubmit();
  const form = useWindowForm("put in list", {
    initial: { listId: "", name: "" },
    validate: ({ listId, name }) => ({
      listId: listId === "" ? t.required : null,
      name: listId === FRESH && name.trim() === "" ? t.nameRequired : null,
    }),
    submit: async ({ listId, name }) => {
      const list =
        listId === FRESH
          ? await once({ name }, (idempotencyKey) =>
              api("POST /api/contact-lists", { body: { name, idempotencyKey } }),
            )
          : lists.data?.find(({ id }) => String(id) === listId);
      if (!list) return;
      const { people } = await api("POST /api/people/add-to-list", { body: { selection, listId: list.id } });
      await changed();
      onDone?.();
      onClose();
      toastDone(t.done(people, listName(list)));
    },
  });
  return (
    <FormDialog
      title={t.title}
      context={t.context(count)}
      form={form}
      verb={t.verb}
      busyText={t.busy}
      onClose={onClose}
    >
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      {lists.error && (
        <SmallError title={contactsText.exporting.failed} text={errorTextOf(lists.error, "")} />
      )}
      <Select
        label={t.list}
        error={form.error("listId")}
        options={[
          { value: "", label: t.pick, disabled: true },
          { value: FRESH, label: t.fresh },
          ...(lists.data ?? []).map((list) => ({
            value: String(list.id),
            label: `${listName(list)} (${contactsText.count(list.count)})`,
          })),
        ]}
        value={form.values.listId}
        onChange={({ target }) => form.set("listId", target.value)}
      />
      {form.values.listId === FRESH && (
        <TextInput label={t.freshName} autoComplete="off" {...form.text("name")} />
      )}
    </FormDialog>
  );
}
