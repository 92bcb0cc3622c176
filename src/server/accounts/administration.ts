import { randomInt } from "node:crypto";
import type { PasswordChanged, Terms } from "../../contract/accounts.ts";
import type { ApiKeyScope } from "../../contract/settings.ts";
import { DEFAULT_TIME_ZONE, normalizeEmail, normalizeName } from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import { record } from "../audit/service.ts";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { apiKeyPrefix, apiKeyText, hashApiKeySecret, newApiKeySecret } from "./api-keys.ts";
import type { AccountEmails } from "./emails.ts";
import { takeFirstAccount } from "./invitations-repo.ts";
import type { PasswordHasher } from "./password.ts";
import {
  type AccountRow,
  deleteSessionsOf,
  findAccountByEmail,
  insertAccount,
  insertApiKey,
  nextApiKeyId,
  updatePassword,
} from "./repo.ts";

import { type RevokeDeps, revokeAccess } from "./revoke-access.ts";

const DAY_MS = 86_400_000;

import { keepTerms } from "./terms.ts";

export type Found = { owner: Owner; account: AccountRow };

export async function accountOf(db: Db, email: string): Promise<Found | undefined> {
  const normal = normalizeEmail(email);
  const account = normal && (await findAccountByEmail(db, normal));
  return account ? { owner: ownerOf(db, account.id), account } : undefined;
}

/** Throws a unique violation of `account_email_key`. */
export async function createAccount(
  { db, hasher, clock }: { db: Db; hasher: PasswordHasher; clock: Clock },
  { email, name, password, terms }: { email: string; name: string; password: string; terms: Terms },
): Promise<void> {
  const hash = await hasher.hash(password);
  const made = { email, name, timeZone: DEFAULT_TIME_ZONE, termsVersion: terms.version, now: clock.now() };
  await db.transaction().execute(async (tx) => {
    await takeFirstAccount(tx);
    await keepTerms(tx, terms);
    const id = await insertAccount(tx, { ...made, password: hash });
    await record(ownerOf(tx, id), { kind: "account_created" });
  });
}

/** Also ends all sessions, API keys and message addresses; the owner gets an e-mail. */
export async function resetPassword(
  owner: Owner,
  password: string,
  {
    hasher,
    clock,
    emails,
    outward,
  }: RevokeDeps & {
    hasher: PasswordHasher;
    emails: Pick<AccountEmails, "passwordChanged" | "notifyAgain">;
  },
): Promise<PasswordChanged> {
  const hash = await hasher.hash(password);
  return owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    await updatePassword(inside, hash, clock.now());
    await record(inside, { kind: "password_changed" });
    const access = await revokeAccess({ clock, outward }, inside);
    await emails.notifyAgain(inside);
    await emails.passwordChanged(inside, access);
    return { endedSessions: await deleteSessionsOf(inside), ...access };
  });
}

/** `secret`: 32 bytes, base64url. */
export type NewKey = { name: string; days: number | null; scope?: ApiKeyScope; secret?: string };

/** Returns the whole key, which cannot be read again. */
export async function createApiKey(
  owner: Owner,
  { name, days, scope = "all", secret = newApiKeySecret() }: NewKey,
  clock: Clock,
): Promise<{ id: number; key: string; expiresAt: Date | null }> {
  const now = clock.now();
  const id = await nextApiKeyId(owner.db);
  const expiresAt = days === null ? null : new Date(now.getTime() + days * DAY_MS);
  await insertApiKey(owner, {
    id,
    name: normalizeName(name),
    prefix: apiKeyPrefix(id, secret),
    hash: hashApiKeySecret(secret),
    scope,
    expiresAt,
    now,
  });
  return { id, key: apiKeyText(id, secret), expiresAt };
}

/** Not confused when read aloud or copied. */
const READABLE = "abcdefghjkmnpqrstuvwxyz23456789";

/** Four groups of five characters, 99 bits. */
export function generatePassword(): string {
  const letters = Array.from({ length: 20 }, () => READABLE[randomInt(READABLE.length)] ?? "");
  return [0, 5, 10, 15].map((start) => letters.slice(start, start + 5).join("")).join("-");
}
