import { useQueryClient } from "@tanstack/react-query";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { contactsText } from "../../messages/contacts.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PhoneInput, Select, TextInput } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { useListOptions } from "./use-list-options.ts";

const t = contactsText.adding;

export function NewContactDialog({ onClose }: { onClose: () => void }) {
  const { form, lists, gone } = useNewContact(onClose);
  const { name, listId } = form.values;
  return (
    <FormDialog title={t.title} onClose={onClose} form={form} verb={t.button} busyText={t.busy}>
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      {lists.error && (
        <SmallError title={contactsText.exporting.failed} text={errorTextOf(lists.error, "")} />
      )}
      <TextInput label={t.name} autoComplete="off" {...form.text("name")} />
      <PhoneInput label={t.phone} hint={t.phoneHint} {...form.text("phone")} />
      <Select
        label={t.list}
        hint={listId === "" && name.trim() !== "" ? t.ownHint(name.trim()) : undefined}
        // Shown at once: a made choice is not reviewed.
        error={gone(listId) ? t.listGone : null}
        options={[
          ...(gone(listId) ? [{ value: listId, label: contactsText.exporting.pick, disabled: true }] : []),
          { value: "", label: t.own },
          ...lists.options,
        ]}
        value={lists.data ? listId : ""}
        onChange={({ target }) => form.set("listId", target.value)}
      />
    </FormDialog>
  );
}

function useNewContact(onClose: () => void) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  const lists = useListOptions();
  /** The chosen list was deleted: the contact must not go to a new one unasked. */
  const gone = (listId: string) => listId !== "" && lists.data !== undefined && !lists.has(listId);
  const form = useWindowForm("new contact", {
    initial: { name: "", phone: "", listId: "" },
    validate: ({ name, phone, listId }) => ({
      name: name.trim() === "" ? t.nameRequired : null,
      phone: phone.trim() === "" ? t.phoneRequired : null,
      listId: gone(listId) ? t.listGone : null,
    }),
    submit: async ({ name, phone, listId }) => {
      const body = { name, phone, ...(listId ? { listId } : {}) };
      const made = await once(body, (idempotencyKey) =>
        api("POST /api/contacts", { body: { ...body, idempotencyKey } }),
      ).catch(atPhone);
      await queries.invalidateQueries({ queryKey: ["contacts"] });
      onClose();
      const said = t.done(made.contact.name, made.listName);
      toastDone(made.ninthAdded ? `${said}. ${t.ninth}` : said);
    },
  });
  return { form, lists, gone };
}

function atPhone(error: unknown): never {
  if (error instanceof ApiError && error.code.startsWith("phone"))
    throw new ApiError({ ...error, text: error.text, fields: { phone: error.text } });
  throw error;
}
