import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Chat } from "../../../contract/chats.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { chatListQuery } from "../../api/chats.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { usePaused } from "../../lib/use-paused.ts";
import { chatText } from "../../messages/chat.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { chatName } from "./chat-row.tsx";
import styles from "./new-chat-dialog.module.css";

const t = chatText.acts;

type Props = { text: string; connectionId: number; onClose: () => void };

export function ForwardDialog({ text, connectionId, onClose }: Props) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  const [search, setSearch] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const found = useQuery(chatListQuery(connectionId, usePaused(search.trim())));
  const send = async (chat: Chat) => {
    setBusy(true);
    try {
      await once({ text, id: chat.id }, (idempotencyKey) =>
        api("POST /api/chats/{id}/messages", { params: { id: chat.id }, body: { text, idempotencyKey } }),
      );
      void queries.invalidateQueries({ queryKey: ["chats"] });
      onClose();
      toastDone(t.forwarded(chatName(chat)));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={t.forward} context={t.forwardContext} onClose={onClose}>
      {error !== null && <SmallError title={t.forwardFailed} text={errorTextOf(error, "")} />}
      <TextInput
        label={chatText.list.search}
        autoComplete="off"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {found.isError && <QueryError title={chatText.list.failed} query={found} />}
      {found.data?.chats.length === 0 && <p>{chatText.list.nothingFound(search)}</p>}
      <ul className={styles.newChatPeople} aria-label={chatText.list.label}>
        {(found.data?.chats ?? []).map((chat) => (
          <li key={chat.id}>
            <Button look="ghost" disabled={busy} onClick={() => void send(chat)}>
              <b>{chatName(chat)}</b>
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
