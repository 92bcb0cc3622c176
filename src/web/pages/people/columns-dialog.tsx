import { useQuery } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ContactField, FieldKind } from "../../../contract/contact-fields.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { fieldsQuery } from "../../api/people.ts";
import { useForm } from "../../forms/use-form.ts";
import { commonText } from "../../messages/common.ts";
import { peopleText } from "../../messages/people.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select, TextInput } from "../../ui/inputs.tsx";
import { Menu } from "../../ui/menu.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import styles from "./people.module.css";
import { type Columns, CREATED } from "./use-columns.ts";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = peopleText.fields;
const KINDS = ["text", "number", "date", "boolean"] as const satisfies readonly FieldKind[];

export function ColumnsDialog({ columns, onClose }: { columns: Columns; onClose: () => void }) {
  const fields = useQuery(fieldsQuery);
  const [open, setOpen] = useState<{ dialog: "rename" | "remove"; field: ContactField } | null>(null);
  return (
    <Dialog
      title={t.title}
      context={t.context}
      onClose={onClose}
      foot={<Button onClick={onClose}>{commonText.close}</Button>}
    >
      {fields.error && <QueryError title={t.failed} query={fields} />}
      <fieldset className={styles.columns}>
        <legend className={fieldStyles.fieldLabel}>{t.shown}</legend>
        {fields.data?.map((field) => (
          <div key={field.id} className={styles.column}>
            <Checkbox checked={columns.isShown(field.key)} onChange={() => columns.toggle(field.key)}>
              {field.label}
            </Checkbox>
            <span className={styles.kind}>{t.kinds[field.kind]}</span>
            <Menu
              label={t.menu(field.label)}
              entries={[
                { label: t.rename, icon: Pencil, onSelect: () => setOpen({ dialog: "rename", field }) },
                {
                  label: t.remove,
                  icon: Trash2,
                  danger: true,
                  onSelect: () => setOpen({ dialog: "remove", field }),
                },
              ]}
            />
          </div>
        ))}
        <div className={styles.column}>
          <Checkbox checked={columns.isShown(CREATED)} onChange={() => columns.toggle(CREATED)}>
            {peopleText.created}
          </Checkbox>
        </div>
      </fieldset>
      <NewField />
      {open?.dialog === "rename" && <RenameField field={open.field} onClose={() => setOpen(null)} />}
      {open?.dialog === "remove" && <RemoveField field={open.field} onClose={() => setOpen(null)} />}
    </Dialog>
  );
}

const EMPTY = { label: "", kind: "text" as FieldKind };

function NewField() {
  const changed = usePeopleChanged();
  const form = useForm({
    initial: EMPTY,
    validate: ({ label }) => ({ label: label.trim() === "" ? t.labelRequired : null }),
    submit: async (values) => {
      const made = await api("POST /api/contact-fields", { body: values });
      await changed();
      form.settle(values, EMPTY);
      toastDone(t.created(made.label));
    },
  });
  return (
    <form {...form.formProps} className={styles.newField} aria-label={t.add}>
      {form.submitError !== null && (
        <SmallError title={t.createFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <TextInput label={t.label} autoComplete="off" {...form.text("label")} />
      <Select
        label={t.kind}
        options={KINDS.map((kind) => ({ value: kind, label: t.kinds[kind] }))}
        value={form.values.kind}
        onChange={({ target }) => form.set("kind", KINDS.find((kind) => kind === target.value) ?? "text")}
      />
      <div>
        <Button type="submit" busy={form.busy} busyText={t.creating}>
          {t.create}
        </Button>
      </div>
    </form>
  );
}

type FieldProps = { field: ContactField; onClose: () => void };

function RenameField({ field, onClose }: FieldProps) {
  const changed = usePeopleChanged();
  const form = useWindowForm(`rename field ${field.id}`, {
    initial: { label: field.label },
    validate: ({ label }) => ({ label: label.trim() === "" ? t.labelRequired : null }),
    submit: async (body) => {
      await api("PATCH /api/contact-fields/{id}", { params: { id: field.id }, body });
      await changed();
      onClose();
    },
  });
  return (
    <FormDialog title={t.renameTitle} form={form} verb={t.renameVerb} busyText={t.renaming} onClose={onClose}>
      {form.submitError !== null && (
        <SmallError title={t.renameFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <TextInput label={t.label} autoComplete="off" {...form.text("label")} />
    </FormDialog>
  );
}

function RemoveField({ field, onClose }: FieldProps) {
  const changed = usePeopleChanged();
  return (
    <ConfirmDialog
      question={t.removeQuestion(field.label)}
      verb={t.removeVerb}
      busyText={t.removing}
      failure={t.removeFailed}
      onConfirm={async () => {
        const { people } = await api("DELETE /api/contact-fields/{id}", { params: { id: field.id } });
        await changed();
        toastDone(t.removed(field.label, people));
      }}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
    </ConfirmDialog>
  );
}
