import { useRouter } from "@tanstack/react-router";
import { ACCOUNT_NAME_MAX, normalizeName } from "../../../domain/account.ts";
import { api } from "../../api/call.ts";
import { claimLanguage } from "../../language.ts";
import { accountsText } from "../../messages/accounts.ts";
import { useForm } from "../../use-form.ts";
import { entered } from "../auth/entered.ts";
import { confirmFault, emailFault, newPasswordFault } from "../auth/faults.ts";

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
      confirmPassword: confirmFault(form.password, form.confirmPassword),
      acceptTerms: form.acceptTerms ? null : t.termsRequired,
    }),
    submit: async (form) => {
      const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
      const me = await entered(await api("POST /api/signup", { body: { ...form, timeZone } }));
      router.options.context.session.remember(await claimLanguage(me, true));
      await router.navigate({ to: "/", replace: true });
    },
  });
}

function nameFault(typed: string): string | null {
  const name = normalizeName(typed);
  if (name === "") return accountsText.nameRequired;
  return [...name].length > ACCOUNT_NAME_MAX ? accountsText.nameLong(ACCOUNT_NAME_MAX) : null;
}
