import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useState } from "react";
import type { ChatMessage } from "../../../contract/chats.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { chatText as t } from "../../messages/chat.ts";
import { OPENED_FROM_OTHER_SCREEN } from "../../routes/opened-from.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { toastFailed } from "../../ui/toast.tsx";
import styles from "./message-log.module.css";
import { putMessage } from "./use-chats.ts";
import { useKept } from "./use-kept.ts";

type Props = { message: ChatMessage; chatId: number };

/** A failed message was not delivered, so a retry cannot duplicate it. */
export function Failure({ message, chatId }: Props) {
  const { busy, done, retry } = useRetry(chatId, message.outboxId);
  const again = async () => {
    try {
      await retry(false);
    } catch (error) {
      toastFailed(errorTextOf(error, t.retryFailed));
    }
  };
  return (
    <div className={clsx(styles.trouble, styles.failed)}>
      {message.error && <p>{message.error.text}</p>}
      {done && <p>{t.retried}</p>}
      {message.outboxId !== null && !done && (
        <button type="button" className={textLinkStyles.link} data-ui="link" disabled={busy} onClick={again}>
          {t.retry}
        </button>
      )}
    </div>
  );
}

/** Delivery unknown: a resend may duplicate it, so it asks first. */
export function Doubt({ message, ask }: { message: ChatMessage; ask: Ask }) {
  const [done] = useRetried(message.outboxId);
  return (
    <div className={styles.trouble}>
      {message.error && <p>{message.error.text}</p>}
      {done && <p>{t.retried}</p>}
      {message.outboxId !== null && !done && (
        <button type="button" className={textLinkStyles.link} data-ui="link" onClick={() => ask(message.key)}>
          {t.resendAnyway}
        </button>
      )}
      {message.campaign && (
        <Link
          to="/campaigns"
          search={{ detalhes: message.campaign.id, status: "uncertain" }}
          state={OPENED_FROM_OTHER_SCREEN}
          className={textLinkStyles.link}
          data-ui="link"
        >
          {t.seeCampaign}
        </Link>
      )}
    </div>
  );
}

export type Ask = (key: string) => void;

/** Outside the virtualized bubble, which may be unmounted while the question is open. */
export function AskResend({ message, chatId, who, onClose }: Props & { who: string; onClose: () => void }) {
  const { retry } = useRetry(chatId, message.outboxId);
  return (
    <ConfirmDialog
      question={t.askResend}
      verb={t.resendAnyway}
      look="primary"
      failure={t.resendFailed}
      onConfirm={() => retry(true)}
      onClose={onClose}
    >
      <p>{t.askResendText(who)}</p>
    </ConfirmDialog>
  );
}

const useRetried = (outboxId: number | null) => useKept(["chat-retried", outboxId], false);

function useRetry(chatId: number, outboxId: number | null) {
  const queries = useQueryClient();
  const [done, setDone] = useRetried(outboxId);
  const [busy, setBusy] = useState(false);
  const retry = async (evenSo: boolean) => {
    if (outboxId === null) return;
    setBusy(true);
    try {
      const params = { id: chatId, outboxId };
      const stored = await api("POST /api/chats/{id}/messages/{outboxId}/retry", {
        params,
        body: { evenSo },
      });
      setDone(() => true);
      putMessage(queries, chatId, stored);
    } finally {
      setBusy(false);
    }
  };
  return { busy, done, retry };
}
