import type { FieldError } from "../../contract/error-messages.ts";
import { PASSWORD_MAX, PASSWORD_MIN, passwordError } from "../../domain/account.ts";
import { isCommonPassword } from "./password.ts";

export function newPasswordError(
  password: string,
  about: { email: string; name: string },
): FieldError | undefined {
  if (password === "") return "required";
  const error = passwordError(password);
  if (error === "too_short") return { code: error, n: PASSWORD_MIN };
  if (error === "too_long") return { code: error, n: PASSWORD_MAX };
  return error ?? (isCommonPassword(password, about) ? "password_common" : undefined);
}

export function newPasswordErrors(
  { newPassword, confirmPassword }: { newPassword: string; confirmPassword: string },
  about: { email: string; name: string },
): Record<string, FieldError> {
  const errors: Record<string, FieldError> = {};
  const error = newPasswordError(newPassword, about);
  if (error) errors.newPassword = error;
  if (confirmPassword !== newPassword) errors.confirmPassword = "passwords_differ";
  return errors;
}
