import { useQueryClient } from "@tanstack/react-query";
import { CalendarClock } from "lucide-react";
import { useState } from "react";
import type { ChatMessage } from "../../../contract/chats.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { chatText } from "../../messages/chat.ts";
import { formatDateTime } from "../../messages/format.ts";
import { Icon } from "../../ui/icon.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { toastFailed } from "../../ui/toast.tsx";
import styles from "./facts.module.css";

const t = chatText.later;

export function Scheduled({ message: { outboxId, at }, chatId }: { message: ChatMessage; chatId: number }) {
  const queries = useQueryClient();
  const { timeZone } = useMe();
  const [busy, setBusy] = useState(false);
  const cancel = async () => {
    if (outboxId === null) return;
    setBusy(true);
    try {
      await api("POST /api/chats/{id}/messages/{outboxId}/cancel", { params: { id: chatId, outboxId } });
    } catch (error) {
      toastFailed(errorTextOf(error, t.cancelFailed));
    }
    await queries.invalidateQueries({ queryKey: ["chats"] });
    setBusy(false);
  };
  return (
    <p className={styles.place}>
      <Icon of={CalendarClock} />
      {t.scheduled(formatDateTime(at, timeZone))}
      <button type="button" className={textLinkStyles.link} data-ui="link" disabled={busy} onClick={cancel}>
        {t.cancel}
      </button>
    </p>
  );
}
