import { normalizeEmail, PASSWORD_MAX, PASSWORD_MIN, passwordError } from "../../domain/account.ts";
import { accountsText } from "../messages/accounts.ts";

export function emailError(typed: string): string | null {
  if (typed.trim() === "") return accountsText.emailRequired;
  return normalizeEmail(typed) ? null : accountsText.emailInvalid;
}

/** The server also checks for common passwords. */
export function newPasswordError(typed: string): string | null {
  if (typed === "") return accountsText.passwordRequired;
  switch (passwordError(typed)) {
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

export function confirmError(password: string, confirmPassword: string): string | null {
  if (password !== confirmPassword) return accountsText.signup.differ;
  return confirmPassword === "" ? accountsText.signup.confirmRequired : null;
}
