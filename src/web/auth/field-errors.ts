import { normalizeEmail, PASSWORD_MAX, PASSWORD_MIN, passwordError } from "../../domain/account.ts";
import { accountsText } from "../messages/accounts.ts";

/** What is wrong with a typed e-mail, in words; null when nothing is. */
export function emailError(typed: string): string | null {
  if (typed.trim() === "") return accountsText.emailRequired;
  return normalizeEmail(typed) ? null : accountsText.emailInvalid;
}

/** The same of a password that somebody wants to have. The server knows more: which ones are guessed first. */
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

/** The same of its repetition. */
export function confirmError(password: string, confirmPassword: string): string | null {
  if (password !== confirmPassword) return accountsText.signup.differ;
  return confirmPassword === "" ? accountsText.signup.confirmRequired : null;
}
