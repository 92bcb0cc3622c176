import { type ReactNode, useRef, useState } from "react";
import type { ContactField } from "../../../contract/contact-fields.ts";
import type { Person } from "../../../contract/people.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { listName } from "../../lib/list-name.ts";
import { peopleText } from "../../messages/people.ts";
import { Button } from "../../ui/button.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PhoneInput, Select, TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { changedFields, type FieldForm, FieldInput, fieldErrors, typedFields } from "./field-inputs.tsx";
import { MergeDialog } from "./merge-dialog.tsx";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = peopleText.form;

type List = { id: number; name: string };

type AddProps = {
  fields: readonly ContactField[];
  lists: readonly List[];
  listId: number | undefined;
  onClose: () => void;
};

export function AddPersonDialog({ fields, lists, listId, onClose }: AddProps) {
  const changed = usePeopleChanged();
  const [empty] = useState(() => ({
    name: "",
    phone: "",
    list: listId ? String(listId) : "",
    ...typedFields(fields, {}),
  }));
  const takeBack = useRef(false);
  const form = useWindowForm<FieldForm>("add person", {
    initial: empty,
    validate: (values) => errorsOf(fields, values),
    submit: async (values) => {
      const again = takeBack.current;
      takeBack.current = false;
      const added = await api("POST /api/people", {
        body: {
          name: values.name ?? "",
          phone: values.phone ?? "",
          fields: changedFields(fields, values, empty),
          listIds: values.list ? [values.list].map(Number) : [],
          ...(again ? { takeBack: true } : {}),
        },
      });
      await changed();
      onClose();
      toastDone(t.added(added.name));
    },
  });
  const taken = takenBy(form.submitError);
  return (
    <FormDialog title={t.addTitle} form={form} verb={t.addVerb} busyText={t.adding} onClose={onClose}>
      <Failure error={form.submitError} title={t.addFailed}>
        {taken && (
          <TextLink to="/contacts/pessoas/$personId" params={{ personId: String(taken.id) }}>
            {t.openOther}
          </TextLink>
        )}
        {form.submitError instanceof ApiError && form.submitError.code === "person_erased" && (
          <Button
            small
            type="submit"
            onClick={() => {
              takeBack.current = true;
            }}
          >
            {t.takeBack}
          </Button>
        )}
      </Failure>
      <Inputs form={form} fields={fields} />
      <Select
        label={t.list}
        options={[
          { value: "", label: t.noList },
          ...lists.map((list) => ({ value: String(list.id), label: listName(list) })),
        ]}
        value={form.values.list ?? ""}
        onChange={({ target }) => form.set("list", target.value)}
      />
    </FormDialog>
  );
}

type EditProps = { person: Person; fields: readonly ContactField[]; onClose: () => void };

export function EditPersonDialog({ person, fields, onClose }: EditProps) {
  const changed = usePeopleChanged();
  const [merging, setMerging] = useState<Person | null>(null);
  const [before] = useState(() => ({
    name: person.name,
    phone: formatPhone(person.phone),
    ...typedFields(fields, person.fields),
  }));
  const form = useWindowForm<FieldForm>(`edit person ${person.id}`, {
    initial: before,
    validate: (values) => errorsOf(fields, values, person.name !== ""),
    submit: async (values) => {
      const { name = "", phone = "" } = values;
      const body = {
        ...(name === before.name ? {} : { name }),
        ...(phone === before.phone ? {} : { phone }),
        fields: changedFields(fields, values, before),
      };
      await api("PATCH /api/people/{id}", { params: { id: person.id }, body });
      await changed();
      onClose();
      toastDone(t.saved);
    },
  });
  const taken = takenBy(form.submitError);
  const openMerge = async () => {
    if (!taken) return;
    try {
      setMerging(await api("GET /api/people/{id}", { params: { id: taken.id } }));
    } catch (error) {
      form.fail(error);
    }
  };
  if (merging) return <MergeDialog person={person} other={merging} fields={fields} onClose={onClose} />;
  return (
    <FormDialog title={t.editTitle} form={form} verb={t.saveVerb} busyText={t.saving} onClose={onClose}>
      <Failure error={form.submitError} title={t.saveFailed}>
        {taken && (
          <Button small onClick={() => void openMerge()}>
            {t.merge}
          </Button>
        )}
      </Failure>
      <Inputs form={form} fields={fields} />
    </FormDialog>
  );
}

type Form = ReturnType<typeof useWindowForm<FieldForm>>;

function Inputs({ form, fields }: { form: Form; fields: readonly ContactField[] }) {
  return (
    <>
      <TextInput label={peopleText.name} autoComplete="off" {...form.text("name")} />
      <PhoneInput label={peopleText.phone} hint={t.phoneHint} {...form.text("phone")} />
      {fields.map((field) => (
        <FieldInput key={field.id} field={field} {...form.text(`fields.${field.key}`)} />
      ))}
    </>
  );
}

function Failure({ error, title, children }: { error: unknown; title: string; children: ReactNode }) {
  if (error === null) return null;
  return (
    <SmallError title={title} text={errorTextOf(error, "")}>
      {children && <div className={layoutStyles.top2}>{children}</div>}
    </SmallError>
  );
}

function errorsOf(fields: readonly ContactField[], values: FieldForm, named = true) {
  return {
    name: named && (values.name ?? "").trim() === "" ? t.nameRequired : null,
    phone: (values.phone ?? "").trim() === "" ? t.phoneRequired : null,
    ...fieldErrors(fields, values),
  };
}

function takenBy(error: unknown): { id: number } | null {
  if (!(error instanceof ApiError) || error.code !== "phone_taken") return null;
  const { id } = error.details;
  return typeof id === "number" ? { id } : null;
}
