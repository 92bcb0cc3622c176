import { useQueryClient } from "@tanstack/react-query";
import { type MouseEvent, useState } from "react";
import type { ReceivedFile } from "../../../contract/chats.ts";
import { canComeAgain } from "../../../domain/received-file.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { attachmentText } from "../../messages/attachments.ts";
import { chatText } from "../../messages/chat.ts";
import { formatBytes } from "../../messages/format.ts";
import { formatLength } from "../../ui/attachment-facts.tsx";
import { AttachmentLine } from "../../ui/attachment-line.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { toastFailed } from "../../ui/toast.tsx";
import styles from "./message-log.module.css";
import { putMessage } from "./use-chats.ts";

const t = chatText.file;

export function AbsentFile({ file, chatId }: { file: ReceivedFile; chatId: number }) {
  const { state } = file;
  const facts = factsOf(file);
  return (
    <div className={styles.absent} data-state={state}>
      <AttachmentLine file={file} className={styles.kind} />
      {facts !== "" && <p data-ui="num">{facts}</p>}
      <p role="status">{t.states[state]}</p>
      {canComeAgain(state, true) && <FetchAgain file={file} chatId={chatId} />}
    </div>
  );
}

function factsOf({ seconds, bytes, pages }: ReceivedFile): string {
  const facts = [
    seconds !== null && formatLength(seconds),
    pages !== null && attachmentText.pages(pages),
    bytes !== null && formatBytes(bytes),
  ];
  return facts.filter(Boolean).join(" · ");
}

function FetchAgain({ file: { messageId }, chatId }: { file: ReceivedFile; chatId: number }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const ask = async (event: MouseEvent) => {
    const focus = restoreFocus(event);
    setBusy(true);
    try {
      const params = { id: chatId, messageId };
      putMessage(queries, chatId, await api("POST /api/chats/{id}/messages/{messageId}/file", { params }));
      focus();
    } catch (error) {
      toastFailed(errorTextOf(error, t.againFailed));
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" className={textLinkStyles.link} data-ui="link" disabled={busy} onClick={ask}>
      {t.again}
    </button>
  );
}
