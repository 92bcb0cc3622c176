import { sql } from "kysely";
import type { SignUp } from "../../src/contract/accounts.ts";
import { accountGuard } from "../../src/server/accounts/limits.ts";
import { argon2idHasher } from "../../src/server/accounts/password.ts";
import { sessionProof } from "../../src/server/accounts/prove-session.ts";
import { type AccountDeps, AccountService } from "../../src/server/accounts/service.ts";
import { outwardAccess } from "../../src/server/app/outward-access.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import type { Database, Db } from "../../src/server/db/client.ts";
import { testLog } from "./database.ts";

export const PASSWORD = "girassol no quintal";

export function accountDeps(database: Database): AccountDeps {
  return {
    database,
    log: testLog,
    clock: systemClock,
    secret: "a secret that is not in the database 0123456789",
    publicUrl: null,
    terms: { version: "v1", text: "Termos" },
    hasher: argon2idHasher,
    guard: accountGuard(database),
    signup: "open",
  };
}

export function settingsDeps(deps: AccountDeps) {
  return {
    confirmations: { by: null, send: async () => undefined },
    prove: sessionProof(deps),
    outward: outwardAccess,
    undoSeconds: 15,
    setHooks: async () => undefined,
    apiKeySecret: Buffer.alloc(32, 7),
  };
}

export function testAccounts(database: Database, changes: Partial<AccountDeps> = {}): AccountService {
  return new AccountService({ ...accountDeps(database), ...changes });
}

let person = 0;

export const newEmail = () => `pessoa${++person}@exemplo.com.br`;

export function signUpForm(changes: Partial<SignUp> = {}): SignUp {
  return {
    name: "Ana Souza",
    email: newEmail(),
    password: PASSWORD,
    confirmPassword: PASSWORD,
    acceptTerms: true,
    timeZone: "America/Manaus",
    ...changes,
  };
}

export async function confirmEmailOf(db: Db, accountId: string): Promise<void> {
  await sql`update account set email_confirmed_at = now() where id = ${accountId}::uuid`.execute(db);
}

let host = 0;

export function visitor(headers: Record<string, string> = {}) {
  return { address: `10.0.${++host >> 8}.${host & 255}`, headers: new Headers(headers) };
}

export const cookieOf = (setCookie: string) => setCookie.split(";")[0] ?? "";

export const withCookie = (cookie: string) => ({ headers: new Headers({ cookie }) });

export function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "no error",
    (error: { code?: string; details?: { fields?: unknown } }) => error.details?.fields ?? error.code,
  );
}
