import { useQuery, useQueryClient } from "@tanstack/react-query";
import { formatPhone } from "../../../domain/phone-written.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { listsMenuQuery } from "../../api/contacts.ts";
import { listName } from "../../lib/list-name.ts";
import { chatText } from "../../messages/chat.ts";
import { peopleText } from "../../messages/people.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PhoneInput, Select, TextInput } from "../../ui/inputs.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";

const t = peopleText.form;

type Props = { card: { name: string; phone: string }; onClose: () => void };

export function SaveCardDialog({ card, onClose }: Props) {
  const queries = useQueryClient();
  const lists = useQuery(listsMenuQuery);
  const form = useWindowForm("save card", {
    initial: { name: card.name, phone: formatPhone(card.phone), listId: "" },
    validate: ({ name, phone }) => ({
      name: name.trim() === "" ? t.nameRequired : null,
      phone: phone.trim() === "" ? t.phoneRequired : null,
    }),
    submit: async ({ name, phone, listId }) => {
      const listIds = listId === "" ? [] : [Number(listId)];
      const added = await api("POST /api/people", { body: { name, phone, listIds } });
      await queries.invalidateQueries({ queryKey: ["contacts"] });
      await queries.invalidateQueries({ queryKey: ["people"] });
      void queries.invalidateQueries({ queryKey: ["chats"] });
      onClose();
      toastDone(t.added(added.name));
    },
  });
  return (
    <FormDialog
      title={chatText.cards.saveTitle}
      form={form}
      verb={t.saveVerb}
      busyText={t.saving}
      onClose={onClose}
    >
      {form.submitError !== null && <Failure error={form.submitError} />}
      <TextInput label={peopleText.name} autoComplete="off" {...form.text("name")} />
      <PhoneInput label={peopleText.phone} hint={t.phoneHint} {...form.text("phone")} />
      <Select
        label={t.list}
        options={[
          { value: "", label: t.noList },
          ...(lists.data ?? []).map((list) => ({ value: String(list.id), label: listName(list) })),
        ]}
        value={form.values.listId}
        onChange={({ target }) => form.set("listId", target.value)}
      />
    </FormDialog>
  );
}

function Failure({ error }: { error: unknown }) {
  const known = error instanceof ApiError && error.code === "phone_taken" ? error.details.id : null;
  return (
    <SmallError title={t.saveFailed} text={errorTextOf(error, "")}>
      {typeof known === "number" && (
        <TextLink to="/contacts/pessoas/$personId" params={{ personId: String(known) }}>
          {t.openOther}
        </TextLink>
      )}
    </SmallError>
  );
}
