import { useRouter } from "@tanstack/react-router";
import { ACCOUNT_NAME_MAX, normalizeName } from "../../../domain/account.ts";
import { api } from "../../api/call.ts";
import { claimLanguage } from "../../api/language.ts";
import { entered } from "../../auth/entered.ts";
import { confirmError, emailError, newPasswordError } from "../../auth/field-errors.ts";
import { useForm } from "../../forms/use-form.ts";
import { accountsText } from "../../messages/accounts.ts";
import { type Door, isClosed } from "./use-signup-policy.ts";

const t = accountsText.signup;

export function useSignup(door: Door, onClosed: () => Promise<void>) {
  const router = useRouter();
  return useForm({
    initial: { name: "", email: door.email ?? "", password: "", confirmPassword: "", acceptTerms: false },
    validate: (form) => ({
      name: nameError(form.name),
      email: emailError(form.email),
      password: newPasswordError(form.password),
      confirmPassword: confirmError(form.password, form.confirmPassword),
      acceptTerms: form.acceptTerms ? null : t.termsRequired,
    }),
    submit: async (form) => {
      const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
      const invitation = door.state === "invited" ? { invitation: door.token } : {};
      const answer = await api("POST /api/signup", { body: { ...form, timeZone, ...invitation } }).catch(
        (error: unknown) => {
          if (!isClosed(error)) throw error;
        },
      );
      if (!answer) return onClosed();
      const me = await entered(answer);
      router.options.context.session.remember(await claimLanguage(me, true));
      await router.navigate({ to: "/", replace: true });
    },
  });
}

function nameError(typed: string): string | null {
  const name = normalizeName(typed);
  if (name === "") return accountsText.nameRequired;
  return [...name].length > ACCOUNT_NAME_MAX ? accountsText.nameLong(ACCOUNT_NAME_MAX) : null;
}
