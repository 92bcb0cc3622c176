import { useNavigate } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { PasswordChanged } from "../../../contract/accounts.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import styles from "../../auth/auth.module.css";
import { AuthFrame } from "../../auth/auth-frame.tsx";
import { confirmError, newPasswordError } from "../../auth/field-errors.ts";
import { NewPasswordInputs } from "../../auth/password-inputs.tsx";
import { FormBones, Said } from "../../auth/said.tsx";
import { useAnswer } from "../../auth/use-answer.ts";
import { useLinkToken } from "../../auth/use-link-token.ts";
import { useForm } from "../../forms/use-form.ts";
import { accessText } from "../../messages/access.ts";
import { resetText } from "../../messages/reset.ts";
import { readReturnTo, storeReturnTo } from "../../routes/return-to.ts";
import { AccessList } from "../../ui/access-list.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice, SmallError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";

const t = resetText.set;

const isOver = (error: unknown) => error instanceof ApiError && error.status === 410;

/** The link is checked before the user chooses a password. */
export function NewPasswordPage() {
  usePageTitle(t.title);
  const token = useLinkToken("/nova-senha");
  const ask = useCallback(async () => {
    const { email } = await api("POST /api/password-reset/link", { body: { token } });
    return { token, email };
  }, [token]);
  const link = useAnswer(ask);
  const [over, setOver] = useState<string | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  if (done) return <Changed {...done} />;
  if (over === token || isOver(link.error)) return <Over focus={over === token} />;
  return (
    <AuthFrame title={t.title} lead={t.lead}>
      {link.data?.token === token ? (
        <PasswordForm key={token} {...link.data} onOver={() => setOver(token)} onChanged={setDone} />
      ) : link.error === null ? (
        <FormBones />
      ) : (
        <ErrorNotice title={t.loadFailed} error={link.error} onRetry={link.load} busy={link.busy} />
      )}
    </AuthFrame>
  );
}

type Done = { email: string; changed: PasswordChanged };
type FormProps = { token: string; email: string; onOver: () => void; onChanged: (done: Done) => void };

function PasswordForm({ token, email, onOver, onChanged }: FormProps) {
  const navigate = useNavigate();
  const form = useForm({
    initial: { newPassword: "", confirmPassword: "" },
    validate: ({ newPassword, confirmPassword }) => ({
      newPassword: newPasswordError(newPassword),
      confirmPassword: confirmError(newPassword, confirmPassword),
    }),
    submit: async (body) => {
      try {
        const changed = await api("POST /api/password-reset/password", { body: { token, ...body } });
        if (changed.ended.length + changed.living.length > 0) return onChanged({ email, changed });
      } catch (error) {
        if (isOver(error)) return onOver();
        throw error;
      }
      // Replaces the entry: Back would lead to a used link.
      const search = { senha: true as const, redirect: readReturnTo(Date.now()) };
      await navigate({ to: "/login", search, state: { typedEmail: email }, replace: true });
      storeReturnTo(undefined, Date.now());
    },
  });
  return (
    <form {...form.formProps}>
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      {/* For password managers. */}
      <input
        type="text"
        className={layoutStyles.gone}
        autoComplete="username"
        value={email}
        readOnly
        tabIndex={-1}
      />
      <NewPasswordInputs
        password={{ label: t.password, ...form.text("newPassword") }}
        again={{ label: t.confirm, ...form.text("confirmPassword") }}
      />
      <Button type="submit" look="primary" busy={form.busy} busyText={t.busy}>
        {t.button}
      </Button>
    </form>
  );
}

function Changed({ email, changed }: Done) {
  const words = accessText.changed;
  return (
    <Said title={words.title} lead={words.lead} focus>
      <p>{words.sessions(changed.endedSessions)}</p>
      <AccessList title={accessText.ended} all={changed.ended} />
      <AccessList title={accessText.living} text={accessText.livingText} all={changed.living} living />
      <LinkButton
        to="/login"
        search={{ senha: true, redirect: readReturnTo(Date.now()) }}
        state={{ typedEmail: email }}
        replace
        look="primary"
      >
        {words.signIn}
      </LinkButton>
    </Said>
  );
}

function Over({ focus }: { focus: boolean }) {
  return (
    <Said title={t.over} lead={t.overText} focus={focus}>
      <LinkButton to="/esqueci-a-senha" search={{ redirect: readReturnTo(Date.now()) }} look="primary">
        {t.again}
      </LinkButton>
      <p className={styles.foot}>
        <TextLink to="/login">{t.back}</TextLink>
      </p>
    </Said>
  );
}
