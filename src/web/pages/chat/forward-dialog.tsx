import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Chat, ChatMessage } from "../../../contract/chats.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { chatListQuery } from "../../api/chats.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { usePaused } from "../../lib/use-paused.ts";
import { chatText } from "../../messages/chat.ts";
import { AttachmentLine } from "../../ui/attachment-line.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { chatName } from "./chat-row.tsx";
import styles from "./new-chat-dialog.module.css";
import { AbsentFile } from "./received-file.tsx";

const t = chatText.acts;

type Props = { message: ChatMessage; chat: Chat; onClose: () => void };

export function ForwardDialog({ message, chat, onClose }: Props) {
  const { attachment, receivedFile } = message;
  const [error, setError] = useState<unknown>(null);
  const isLost = error instanceof ApiError && error.code === "received_file_absent";
  const absent = attachment === null || isLost ? receivedFile : null;
  return (
    <Dialog title={t.forward} context={t.forwardContext} onClose={onClose}>
      {error !== null && <SmallError title={t.forwardFailed} text={causeOf(error)} />}
      {absent && <AbsentFile file={absent} chatId={chat.id} />}
      {absent && absent.state !== "here" ? (
        <p>{t.forwardAbsent}</p>
      ) : (
        <>
          {attachment && <AttachmentLine file={attachment} />}
          <Chats message={message} from={chat} onError={setError} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

const causeOf = (error: unknown) =>
  (error instanceof ApiError && error.fields.text) || errorTextOf(error, "");

type ChatsProps = {
  message: ChatMessage;
  from: Chat;
  onError: (error: unknown) => void;
  onClose: () => void;
};

function Chats({ message: { key }, from, onError, onClose }: ChatsProps) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  const [search, setSearch] = useState("");
  const [busy, setBusy] = useState(false);
  const found = useQuery(chatListQuery(from.connectionId, usePaused(search.trim())));
  const send = async (to: Chat) => {
    setBusy(true);
    onError(null);
    try {
      await once({ key, id: to.id }, (idempotencyKey) =>
        api("POST /api/chats/{id}/messages/{key}/forward", {
          params: { id: from.id, key },
          body: { chatId: to.id, idempotencyKey },
        }),
      );
      void queries.invalidateQueries({ queryKey: ["chats"] });
      onClose();
      toastDone(t.forwarded(chatName(to)));
    } catch (failure) {
      onError(failure);
      setBusy(false);
    }
  };
  return (
    <>
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
    </>
  );
}
