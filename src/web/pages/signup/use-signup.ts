import { useRouter } from "@tanstack/react-router";
import {
  ACCOUNT_NAME_MAX,
  normalizeEmail,
  normalizeName,
  PASSWORD_MAX,
  PASSWORD_MIN,
  passwordFault,
} from "../../../domain/account.ts";
import { api } from "../../api/call.ts";
import { claimLanguage } from "../../language.ts";
import { accountsText } from "../../messages/accounts.ts";
import { useForm } from "../../use-form.ts";

const t = accountsText.signup;

/** The sign-up form. The server judges everything again; here people learn of it while they type. */
export function useSignup() {
  const router = useRouter();
  return useForm({
    initial: { name: "", email: "", password: "", confirmPassword: "", acceptTerms: false },
    validate: (form) => ({
      name: nameFault(form.name),
      email: emailFault(form.email),
      password: newPasswordFault(form.password),
      confirmPassword: confirmFault(form),
      acceptTerms: form.acceptTerms ? null : t.termsRequired,
    }),
    submit: async (form) => {
      const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
      const me = await api("POST /api/signup", { body: { ...form, timeZone } });
      router.options.context.session.remember(await claimLanguage(me, true));
      await router.navigate({ to: "/" });
    },
  });
}

function confirmFault({ password, confirmPassword }: { password: string; confirmPassword: string }) {
  if (password !== confirmPassword) return t.differ;
  return confirmPassword === "" ? t.confirmRequired : null;
}

function nameFault(typed: string): string | null {
  const name = normalizeName(typed);
  if (name === "") return accountsText.nameRequired;
  return [...name].length > ACCOUNT_NAME_MAX ? accountsText.nameLong(ACCOUNT_NAME_MAX) : null;
}

function emailFault(typed: string): string | null {
  if (typed.trim() === "") return accountsText.emailRequired;
  return normalizeEmail(typed) ? null : accountsText.emailInvalid;
}

function newPasswordFault(typed: string): string | null {
  if (typed === "") return accountsText.passwordRequired;
  switch (passwordFault(typed)) {
    case "too_short":
      return accountsText.passwordShort(PASSWORD_MIN);
    case "too_long":
      return accountsText.passwordLong(PASSWORD_MAX);
    case "invalid_text":
      return accountsText.passwordInvalid;
    default:
      return null;
  }
}
