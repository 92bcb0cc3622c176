import { useRouter } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useState } from "react";
import type { EmailConfirmation, Me } from "../../../contract/accounts.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { accessText } from "../../messages/access.ts";
import { Button } from "../../ui/button.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import { toastDone } from "../../ui/toast.tsx";
import styles from "./settings.module.css";

const t = accessText.confirmation;

export function ConfirmationNotice() {
  const { confirmation } = useMe();
  return confirmation && <Waiting confirmation={confirmation} />;
}

function Waiting({ confirmation: { email, change, by } }: { confirmation: EmailConfirmation }) {
  const me = useMe();
  const again = useAction(() => api("POST /api/email-confirmation"), t.sent);
  const giveUp = useAction(() => api("PATCH /api/settings/profile", { body: { email: me.email } }), t.gaveUp);
  return (
    <Notice tone="warning">
      <p>
        <strong>{change ? t.change : t.waits}</strong>{" "}
        {by === "operator" ? t.operator(email) : change ? t.changeText(email) : t.waitsText(email)}
      </p>
      {by === "operator" && (
        <code className={styles.settingsCommand}>{`npm run account -- confirm-email --email ${email}`}</code>
      )}
      {again.error !== null && <SmallError title={t.failed} text={errorTextOf(again.error, "")} />}
      {giveUp.error !== null && <SmallError title={t.giveUpFailed} text={errorTextOf(giveUp.error, "")} />}
      <div className={clsx(layoutStyles.cluster, layoutStyles.top3)}>
        {by === "link" && (
          <Button small busy={again.busy} busyText={t.sending} disabled={giveUp.busy} onClick={again.run}>
            {t.again}
          </Button>
        )}
        {change && (
          <Button small busy={giveUp.busy} busyText={t.givingUp} disabled={again.busy} onClick={giveUp.run}>
            {t.giveUp}
          </Button>
        )}
      </div>
    </Notice>
  );
}

function useAction(act: () => Promise<Me>, done: string) {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      router.options.context.session.update(await act());
      await router.invalidate();
      toastDone(done);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}
