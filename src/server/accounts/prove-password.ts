import type { FieldError } from "../../contract/error-messages.ts";
import { PASSWORD_MAX } from "../../domain/account.ts";
import { AppError } from "../../domain/errors.ts";
import type { Owner } from "../db/owner.ts";
import type { AccountGuard } from "./limits.ts";
import { holdPassword } from "./link-repo.ts";
import type { PasswordHasher } from "./password.ts";
import { findPasswordHash } from "./settings-repo.ts";

export type ProveDeps = {
  hasher: PasswordHasher;
  guard: Pick<AccountGuard, "beforePassword" | "afterPassword">;
};

export const refuse = (fields: Record<string, FieldError>) => new AppError("invalid_fields", { fields });

/** Run in the protected transaction. Throws `invalid_fields` when the password changed since. */
export type StillProved = (inside: Owner) => Promise<void>;

const wrong = () => refuse({ password: "wrong_password" });

/**
 * A session may be stolen. Throws `invalid_fields` on `password`, `too_many_requests`. Use the result in the
 * transaction: the password may change during hashing.
 */
export async function provePassword(
  { hasher, guard }: ProveDeps,
  owner: Owner,
  password: string,
): Promise<StillProved> {
  if (password === "") throw refuse({ password: "required" });
  await guard.beforePassword(owner.accountId);
  const hash = await findPasswordHash(owner);
  // Cannot be valid; hashing it would be wasted work.
  const right = hash !== null && password.length <= PASSWORD_MAX * 2 && (await hasher.verify(hash, password));
  if (!right) throw wrong();
  await guard.afterPassword(owner.accountId);
  return async (inside) => {
    await holdPassword(inside);
    if ((await findPasswordHash(inside)) !== hash) throw wrong();
  };
}
