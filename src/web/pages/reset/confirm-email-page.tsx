import { useCallback, useState } from "react";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { type Answer, api } from "../../api/call.ts";
import { AuthFrame } from "../../auth/auth-frame.tsx";
import { FormBones, Said } from "../../auth/said.tsx";
import { useAnswer } from "../../auth/use-answer.ts";
import { useLinkToken } from "../../auth/use-link-token.ts";
import { accessText } from "../../messages/access.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice, SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { usePageTitle } from "../../ui/page.tsx";

const t = accessText.confirm;

type Confirmed = Answer<"POST /api/email-confirmation/confirm">;

const isOver = (error: unknown) => error instanceof ApiError && error.status === 410;

/** Confirms by a press, because mail scanners open links. */
export function ConfirmEmailPage() {
  usePageTitle(t.title);
  const token = useLinkToken("/confirmar-email");
  const ask = useCallback(() => api("POST /api/email-confirmation/link", { body: { token } }), [token]);
  const link = useAnswer(ask);
  const [over, setOver] = useState(false);
  const [done, setDone] = useState<Confirmed | null>(null);
  if (done) return <Done {...done} />;
  if (over || isOver(link.error)) return <Over focus={over} />;
  if (link.data)
    return <Confirm {...link.data} token={token} onOver={() => setOver(true)} onDone={setDone} />;
  return (
    <AuthFrame title={t.title} lead={t.loading}>
      {link.error === null ? (
        <FormBones />
      ) : (
        <ErrorNotice title={t.loadFailed} error={link.error} onRetry={link.load} busy={link.busy} />
      )}
    </AuthFrame>
  );
}

type Props = Confirmed & { token: string; onOver: () => void; onDone: (done: Confirmed) => void };

function Confirm({ email, change, token, onOver, onDone }: Props) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      onDone(await api("POST /api/email-confirmation/confirm", { body: { token } }));
    } catch (thrown) {
      if (isOver(thrown)) return onOver();
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <Said title={t.title} lead={change ? t.changeLead(email) : t.lead(email)}>
      {error !== null && <SmallError title={t.failed} text={errorTextOf(error, "")} />}
      <Button look="primary" busy={busy} busyText={t.busy} onClick={confirm}>
        {t.button}
      </Button>
      <p className={fieldStyles.hint} data-ui="hint">
        {change ? t.notAsked : t.notYours}
      </p>
    </Said>
  );
}

function Done({ email, change }: Confirmed) {
  return (
    <Said title={t.done} lead={change ? t.changeDoneText(email) : t.doneText(email)} focus>
      <LinkButton to="/" look="primary">
        {t.open}
      </LinkButton>
    </Said>
  );
}

function Over({ focus }: { focus: boolean }) {
  return (
    <Said title={t.over} lead={t.overText} focus={focus}>
      <LinkButton to="/settings" look="primary">
        {t.open}
      </LinkButton>
    </Said>
  );
}
