import { getRouteApi, useLocation, useRouter } from "@tanstack/react-router";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { claimLanguage } from "../../api/language.ts";
import styles from "../../auth/auth.module.css";
import { AuthFrame } from "../../auth/auth-frame.tsx";
import { EmailInput } from "../../auth/email-input.tsx";
import { entered } from "../../auth/entered.ts";
import { emailError } from "../../auth/field-errors.ts";
import { AccountPasswordInput } from "../../auth/password-inputs.tsx";
import { useForm } from "../../forms/use-form.ts";
import { ownPath } from "../../lib/own-path.ts";
import { accountsText } from "../../messages/accounts.ts";
import { Button } from "../../ui/button.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { Notice } from "../../ui/notice.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { keepCopy } from "../../ui/use-close-on-back.ts";

const t = accountsText.login;
const route = getRouteApi("/login");

export function LoginPage() {
  usePageTitle(t.title);
  const { ended, removed, senha, redirect } = route.useSearch();
  const form = useLogin();
  return (
    <AuthFrame title={t.welcome} lead={t.lead}>
      <form {...form.formProps}>
        {removed && form.submitError === null && <Notice tone="info">{t.removed}</Notice>}
        {senha && form.submitError === null && <Notice tone="success">{t.passwordSet}</Notice>}
        {ended && form.submitError === null && <Notice tone="info">{t.ended}</Notice>}
        {form.submitError !== null && <SmallError title={errorTextOf(form.submitError, t.failed)} />}
        <EmailInput {...form.text("email")} />
        <AccountPasswordInput label={accountsText.password} {...form.text("password")} />
        <Button type="submit" look="primary" busy={form.busy} busyText={t.busy}>
          {t.button}
        </Button>
      </form>
      <p className={styles.foot}>
        <TextLink to="/esqueci-a-senha" search={{ redirect }} state={{ typedEmail: form.values.email }}>
          {t.forgot}
        </TextLink>
      </p>
      <p className={styles.foot}>
        {t.noAccount} <TextLink to="/signup">{t.toSignup}</TextLink>
      </p>
    </AuthFrame>
  );
}

function useLogin() {
  const router = useRouter();
  const search = route.useSearch();
  const { typedEmail = "" } = useLocation().state;
  return useForm({
    initial: { email: typedEmail, password: "" },
    validate: ({ email, password }) => ({
      email: emailError(email),
      password: password === "" ? accountsText.passwordRequired : null,
    }),
    submit: async (values) => {
      const me = await claimLanguage(await entered(await api("POST /api/login", { body: values })));
      router.options.context.session.remember(me);
      // Replaces the entry: Back must not show the login to a signed-in user.
      router.history.replace(ownPath(search.redirect) ?? "/", keepCopy(router.history.location.state));
    },
  });
}
