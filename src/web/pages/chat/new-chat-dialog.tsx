import { useQuery } from "@tanstack/react-query";
import type { Connection } from "../../../contract/connections.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { shownState } from "../../connections/connection-words.ts";
import { useForm } from "../../forms/use-form.ts";
import { usePaused } from "../../lib/use-paused.ts";
import { beginChatText as t } from "../../messages/begin-chat.ts";
import { contactsText } from "../../messages/contacts.ts";
import { Button } from "../../ui/button.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select, TextInput } from "../../ui/inputs.tsx";
import styles from "./new-chat-dialog.module.css";

type Props = {
  connections: readonly Connection[];
  chosen: number;
  phone: string;
  onOpened: (chat: { id: number; connectionId: number }) => void;
  onClose: () => void;
};

export function NewChatDialog({ connections, chosen, phone, onOpened, onClose }: Props) {
  const form = useForm({
    initial: { connectionId: String(chosen), phone: phone === "" ? "" : `+${phone}` },
    validate: (values) => ({ phone: values.phone.trim() === "" ? contactsText.adding.phoneRequired : null }),
    submit: async (values) => {
      const body = { connectionId: Number(values.connectionId), phone: values.phone };
      onOpened(await api("POST /api/chats", { body }));
    },
  });
  return (
    <FormDialog
      title={t.title}
      context={t.context}
      onClose={onClose}
      form={form}
      verb={t.button}
      busyText={t.busy}
    >
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      <Select
        label={t.connection}
        options={connections.map((connection) => ({
          value: String(connection.id),
          label: `${connectionName(connection)} · ${shownState(connection).label}`,
        }))}
        value={form.values.connectionId}
        onChange={({ target }) => form.set("connectionId", target.value)}
      />
      <TextInput label={t.phone} autoComplete="off" hint={t.phoneHint} {...form.text("phone")} />
      <People words={form.values.phone} onPick={(picked) => form.set("phone", `+${picked}`)} />
    </FormDialog>
  );
}

/** Shorter text would match half of all people. */
const LEAST = 2;

function People({ words, onPick }: { words: string; onPick: (phone: string) => void }) {
  const asked = usePaused(words.trim());
  const query = useQuery({
    queryKey: ["search", asked],
    queryFn: ({ signal }) => api("GET /api/search", { query: { q: asked }, signal }),
    enabled: asked.length >= LEAST && !asked.startsWith("+"),
  });
  const people = asked.startsWith("+") ? [] : (query.data?.contacts ?? []);
  if (people.length === 0) return null;
  return (
    <ul className={styles.newChatPeople} aria-label={t.people}>
      {people.map(({ name, phone }) => (
        <li key={phone}>
          <Button look="ghost" onClick={() => onPick(phone)}>
            <b>{name || contactsText.noName}</b> <span data-ui="num">{formatPhone(phone)}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}
