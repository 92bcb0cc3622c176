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

/** In the transaction that does what the password was asked for. Throws `invalid_fields` when another one has been set since it was proved. */
export type StillProved = (inside: Owner) => Promise<void>;

const wrong = () => refuse({ password: "wrong_password" });

/**
 * Goes on only for whoever knows the account's password: a session may be somebody else's by now. Throws `invalid_fields` about the
 * field `password`, and `too_many_requests` after a few wrong ones. To compare takes its time, in which the owner may set another
 * password to be rid of just this session: what follows looks once more, behind whoever is setting one.
 */
export async function provePassword(
  { hasher, guard }: ProveDeps,
  owner: Owner,
  password: string,
): Promise<StillProved> {
  if (password === "") throw refuse({ password: "required" });
  await guard.beforePassword(owner.accountId);
  const hash = await findPasswordHash(owner);
  // Nobody has such a long one, and hashing it would be work for nothing.
  const right = hash !== null && password.length <= PASSWORD_MAX * 2 && (await hasher.verify(hash, password));
  if (!right) throw wrong();
  await guard.afterPassword(owner.accountId);
  return async (inside) => {
    await holdPassword(inside);
    if ((await findPasswordHash(inside)) !== hash) throw wrong();
  };
}
