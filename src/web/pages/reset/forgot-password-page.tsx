import { getRouteApi, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import styles from "../../auth/auth.module.css";
import { AuthFrame } from "../../auth/auth-frame.tsx";
import { EmailInput } from "../../auth/email-input.tsx";
import { emailError } from "../../auth/field-errors.ts";
import { FormBones, Said } from "../../auth/said.tsx";
import { useAnswer } from "../../auth/use-answer.ts";
import { useForm } from "../../forms/use-form.ts";
import { resetText } from "../../messages/reset.ts";
import { storeReturnTo } from "../../routes/return-to.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice, SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { usePageTitle } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";

const t = resetText.ask;
const route = getRouteApi("/esqueci-a-senha");
const COMMAND = "npm run account -- reset-password --email nome@empresa.com.br";

const askMeans = () => api("GET /api/password-reset");

export function ForgotPasswordPage() {
  usePageTitle(t.title);
  const means = useAnswer(askMeans);
  const { typedEmail = "" } = useLocation().state;
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo) return <Sent email={sentTo} onOther={() => setSentTo("")} />;
  if (means.data?.byMail === false) return <NoMail email={typedEmail} />;
  return (
    <AuthFrame title={t.title} lead={t.lead} focus={sentTo === ""}>
      {means.data ? (
        <AskForm typed={sentTo ?? typedEmail} onSent={setSentTo} />
      ) : (
        <>
          {means.error === null ? (
            <FormBones />
          ) : (
            <ErrorNotice title={t.loadFailed} error={means.error} onRetry={means.load} busy={means.busy} />
          )}
          <Back email={typedEmail} />
        </>
      )}
    </AuthFrame>
  );
}

function AskForm({ typed, onSent }: { typed: string; onSent: (email: string) => void }) {
  const { redirect } = route.useSearch();
  const form = useForm({
    initial: { email: typed },
    validate: ({ email }) => ({ email: emailError(email) }),
    submit: async ({ email }) => {
      await api("POST /api/password-reset", { body: { email } });
      storeReturnTo(redirect, Date.now());
      onSent(email.trim());
    },
  });
  return (
    <>
      <form {...form.formProps}>
        {form.submitError !== null && (
          <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />
        )}
        <EmailInput {...form.text("email")} />
        <Button type="submit" look="primary" busy={form.busy} busyText={t.busy}>
          {t.button}
        </Button>
      </form>
      <Back email={form.values.email} />
    </>
  );
}

function Sent({ email, onOther }: { email: string; onOther: () => void }) {
  return (
    <Said title={t.sent} lead={t.sentText} focus>
      <p>{t.sentTo(email)}</p>
      <p>{t.sentHint}</p>
      <Button onClick={onOther}>{t.other}</Button>
      <Back email={email} />
    </Said>
  );
}

function NoMail({ email }: { email: string }) {
  return (
    <Said title={t.noMail} lead={t.noMailText}>
      <code>{COMMAND}</code>
      <p className={fieldStyles.hint} data-ui="hint">
        {t.noMailHint}
      </p>
      <Back email={email} />
    </Said>
  );
}

function Back({ email }: { email: string }) {
  const { redirect } = route.useSearch();
  return (
    <p className={styles.foot}>
      <TextLink to="/login" search={{ redirect }} state={{ typedEmail: email }}>
        {t.back}
      </TextLink>
    </p>
  );
}
