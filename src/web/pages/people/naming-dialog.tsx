import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { listName } from "../../lib/list-name.ts";
import { peopleText } from "../../messages/people.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = peopleText.naming;

type List = { id: number; name: string };
type Props = { list: List; onDone?: (listId: number) => void; onClose: () => void };

export function RenameListDialog({ list, onClose }: Props) {
  const changed = usePeopleChanged();
  const form = useNameForm(`rename list ${list.id}`, list.name, async (name) => {
    const renamed = await api("PATCH /api/contact-lists/{id}", { params: { id: list.id }, body: { name } });
    await changed();
    onClose();
    toastDone(t.renamed(renamed.name));
  });
  return (
    <FormDialog title={t.renameTitle} form={form} verb={t.renameVerb} busyText={t.renaming} onClose={onClose}>
      <Name form={form} failed={t.renameFailed} />
    </FormDialog>
  );
}

export function DuplicateListDialog({ list, onDone, onClose }: Props) {
  const changed = usePeopleChanged();
  const once = useIdempotentSubmit();
  const form = useNameForm(`duplicate list ${list.id}`, t.copyOf(listName(list)), async (name) => {
    const copy = await once({ name }, (idempotencyKey) =>
      api("POST /api/contact-lists/{id}/duplicate", {
        params: { id: list.id },
        body: { name, idempotencyKey },
      }),
    );
    await changed();
    onClose();
    onDone?.(copy.id);
    toastDone(t.duplicated(copy.name));
  });
  return (
    <FormDialog
      title={t.duplicateTitle}
      context={t.duplicateContext}
      form={form}
      verb={t.duplicateVerb}
      busyText={t.duplicating}
      onClose={onClose}
    >
      <Name form={form} failed={t.duplicateFailed} />
    </FormDialog>
  );
}

function useNameForm(window: string, name: string, submit: (name: string) => Promise<void>) {
  return useWindowForm(window, {
    initial: { name },
    validate: (values) => ({ name: values.name.trim() === "" ? t.required : null }),
    submit: (values) => submit(values.name),
  });
}

function Name({ form, failed }: { form: ReturnType<typeof useNameForm>; failed: string }) {
  return (
    <>
      {form.submitError !== null && <SmallError title={failed} text={errorTextOf(form.submitError, "")} />}
      <TextInput label={t.name} autoComplete="off" {...form.text("name")} />
    </>
  );
}
