import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ChatMessage } from "../../../contract/chats.ts";
import { faultText } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { toastFailed } from "../../components/toast.tsx";
import { chatText as t } from "../../messages/chat.ts";
import { putMessage } from "./use-chats.ts";
import { useKept } from "./use-kept.ts";

type Props = { message: ChatMessage; chatId: number };

/** Why a message did not arrive, and another try: nobody has got it, so that nobody gets it twice. */
export function Failure({ message, chatId }: Props) {
  const { busy, done, retry } = useRetry(chatId, message.outboxId);
  const again = async () => {
    try {
      await retry(false);
    } catch (error) {
      toastFailed(faultText(error, t.retryFailed));
    }
  };
  return (
    <div className="trouble failed">
      {message.error && <p>{message.error.text}</p>}
      {done && <p className="again">{t.retried}</p>}
      {message.outboxId !== null && !done && (
        <button type="button" className="link" disabled={busy} onClick={again}>
          {t.retry}
        </button>
      )}
    </div>
  );
}

/** Nobody knows whether it arrived: sending it again may repeat it, so that one asks first. */
export function Doubt({ message, chatId, who }: Props & { who: string }) {
  const [asking, setAsking] = useState(false);
  const { done, retry } = useRetry(chatId, message.outboxId);
  return (
    <div className="trouble">
      {message.error && <p>{message.error.text}</p>}
      {done && <p className="again">{t.retried}</p>}
      {message.outboxId !== null && !done && (
        <button type="button" className="link" onClick={() => setAsking(true)}>
          {t.resendAnyway}
        </button>
      )}
      {message.campaign && (
        <Link
          to="/campaigns"
          search={{ detalhes: message.campaign.id, status: "uncertain" }}
          className="link"
        >
          {t.seeCampaign}
        </Link>
      )}
      {asking && (
        <ConfirmDialog
          question={t.askResend}
          verb={t.resendAnyway}
          look="primary"
          failure={t.resendFailed}
          onConfirm={() => retry(true)}
          onClose={() => setAsking(false)}
        >
          <p>{t.askResendText(who)}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function useRetry(chatId: number, outboxId: number | null) {
  const queries = useQueryClient();
  const [done, setDone] = useKept(["chat-retried", outboxId], false);
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
