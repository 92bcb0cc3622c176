import { useState } from "react";
import { faultText } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { Button } from "../../components/button.tsx";
import { Fault, SmallFault } from "../../components/fault.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { usePageTitle } from "../../components/page.tsx";
import { TextLink } from "../../components/text-link.tsx";
import { accountsText } from "../../messages/accounts.ts";
import { resetText } from "../../messages/reset.ts";
import { useForm } from "../../use-form.ts";
import { AuthFrame } from "../auth/auth-frame.tsx";
import { emailFault } from "../auth/faults.ts";
import { FormBones, Said } from "./parts.tsx";
import { useAnswer } from "./use-answer.ts";

const t = resetText.ask;
const COMMAND = "npm run account -- reset-password --email nome@empresa.com.br";

const askMeans = () => api("GET /api/password-reset");

/** Asks for a link that sets a new password, where this server can send one. */
export function ForgotPasswordPage() {
  usePageTitle(t.title);
  const means = useAnswer(askMeans);
  // Empty: another one is to be entered.
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo) return <Sent email={sentTo} onOther={() => setSentTo("")} />;
  if (means.data?.byMail === false) return <NoMail />;
  return (
    <AuthFrame title={t.title} lead={t.lead} focus={sentTo === ""}>
      {means.data ? (
        <AskForm onSent={setSentTo} />
      ) : means.error === null ? (
        <FormBones />
      ) : (
        <Fault title={t.loadFailed} error={means.error} onRetry={means.load} busy={means.busy} />
      )}
      <Back />
    </AuthFrame>
  );
}

function AskForm({ onSent }: { onSent: (email: string) => void }) {
  const form = useForm({
    initial: { email: "" },
    validate: ({ email }) => ({ email: emailFault(email) }),
    submit: async ({ email }) => {
      await api("POST /api/password-reset", { body: { email } });
      onSent(email.trim());
    },
  });
  return (
    <form {...form.formProps}>
      {form.fault !== null && <SmallFault title={t.failed} text={faultText(form.fault, "")} />}
      <TextInput
        label={accountsText.email}
        type="email"
        autoComplete="username"
        inputMode="email"
        {...form.text("email")}
      />
      <Button type="submit" look="primary" busy={form.busy} busyText={t.busy}>
        {t.button}
      </Button>
    </form>
  );
}

function Sent({ email, onOther }: { email: string; onOther: () => void }) {
  return (
    <Said title={t.sent} lead={t.sentText} focus>
      <p>{t.sentTo(email)}</p>
      <p>{t.sentHint}</p>
      <Button onClick={onOther}>{t.other}</Button>
      <Back />
    </Said>
  );
}

function NoMail() {
  return (
    <Said title={t.noMail} lead={t.noMailText}>
      <code>{COMMAND}</code>
      <p className="hint">{t.noMailHint}</p>
      <Back />
    </Said>
  );
}

function Back() {
  return (
    <p className="foot">
      <TextLink to="/login">{t.back}</TextLink>
    </p>
  );
}
