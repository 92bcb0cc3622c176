import { useCallback, useState } from "react";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import styles from "../../auth/auth.module.css";
import { AuthFrame } from "../../auth/auth-frame.tsx";
import { EmailInput } from "../../auth/email-input.tsx";
import { NO_COOKIES } from "../../auth/entered.ts";
import { NewPasswordInputs } from "../../auth/password-inputs.tsx";
import { FormBones } from "../../auth/said.tsx";
import { useAnswer } from "../../auth/use-answer.ts";
import { useLinkToken } from "../../auth/use-link-token.ts";
import { accountsText } from "../../messages/accounts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ErrorNotice, SmallError } from "../../ui/error-notice.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { SignupClosed, SignupOver } from "./signup-closed.tsx";
import { useSignup } from "./use-signup.ts";
import { askDoor, type Door } from "./use-signup-policy.ts";

const t = accountsText.signup;

export function SignupPage() {
  usePageTitle(t.title);
  const token = useLinkToken("/signup");
  const ask = useCallback(() => askDoor(token), [token]);
  const { data, error, busy, load } = useAnswer(ask);
  // The form is replaced: move focus to the heading.
  const [tried, setTried] = useState(false);
  const onClosed = () => {
    setTried(true);
    return load();
  };
  const door = data?.token === token ? data : null;
  if (door?.state === "closed") return <SignupClosed focus={tried} />;
  if (door?.state === "over") return <SignupOver open={door.open} focus={tried} />;
  return (
    <AuthFrame title={t.title} lead={t.lead}>
      {door ? (
        <SignupForm key={token} door={door} onClosed={onClosed} />
      ) : error === null ? (
        <FormBones />
      ) : (
        <ErrorNotice title={t.loadFailed} error={error} onRetry={load} busy={busy} />
      )}
      <p className={styles.foot}>
        {t.hasAccount} <TextLink to="/login">{t.toLogin}</TextLink>
      </p>
    </AuthFrame>
  );
}

function SignupForm({ door, onClosed }: { door: Door; onClosed: () => Promise<void> }) {
  const form = useSignup(door, onClosed);
  return (
    <form {...form.formProps}>
      {door.state === "invited" && form.submitError === null && <Notice tone="info">{t.invited}</Notice>}
      {form.submitError !== null && <Failed error={form.submitError} email={form.values.email} />}
      <TextInput label={t.name} autoComplete="name" {...form.text("name")} />
      <EmailInput
        {...form.text("email")}
        readOnly={door.email !== null}
        hint={door.email === null ? undefined : t.invitedEmail}
      />
      <NewPasswordInputs
        password={{ label: accountsText.password, ...form.text("password") }}
        again={{ label: t.confirm, ...form.text("confirmPassword") }}
      />
      <Checkbox
        checked={form.values.acceptTerms}
        error={form.error("acceptTerms")}
        onChange={(event) => form.set("acceptTerms", event.target.checked)}
      >
        {t.terms[0]}
        <TextLink to="/termos" target="_blank">
          {t.terms[1]}
          <span className={layoutStyles.srOnly}> {t.newTab}</span>
        </TextLink>
      </Checkbox>
      <Button type="submit" look="primary" busy={form.busy} busyText={t.busy}>
        {t.button}
      </Button>
    </form>
  );
}

/** Must not reveal whether an e-mail has an account. */
function Failed({ error, email }: { error: unknown; email: string }) {
  if (!(error instanceof ApiError && error.code === "signup_failed"))
    return <SmallError title={isMade(error) ? t.made : t.failed} text={errorTextOf(error, "")} />;
  const state = { typedEmail: email };
  return (
    <SmallError title={t.failed} text={t.taken}>
      {error.details.mail === true && <p>{t.takenMail}</p>}
      <p>
        <TextLink to="/login" state={state}>
          {t.signIn}
        </TextLink>{" "}
        <TextLink to="/esqueci-a-senha" state={state}>
          {accountsText.login.forgot}
        </TextLink>
      </p>
    </SmallError>
  );
}

/** The account exists, but the browser keeps no cookies. */
const isMade = (error: unknown) => error instanceof ApiError && error.code === NO_COOKIES;
