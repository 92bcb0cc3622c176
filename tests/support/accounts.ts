import { sql } from "kysely";
import type { SignUp } from "../../src/contract/accounts.ts";
import { accountGuard } from "../../src/server/accounts/limits.ts";
import { argon2idHasher } from "../../src/server/accounts/password.ts";
import { sessionProof } from "../../src/server/accounts/prove-session.ts";
import { type AccountDeps, type AccountService, accountService } from "../../src/server/accounts/service.ts";
import { outwardAccess } from "../../src/server/app/outward-access.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import type { Database, Db } from "../../src/server/db/client.ts";
import { testLog } from "./database.ts";

export const PASSWORD = "girassol no quintal";

/** What accounts are built with, where a test does not say otherwise. */
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

/** What the settings are built with besides `accountDeps`, letters and changes. */
export function settingsDeps(deps: AccountDeps) {
  return {
    confirmations: { by: null, send: async () => undefined },
    prove: sessionProof(deps),
    outward: outwardAccess,
    setHooks: async () => undefined,
    apiKeySecret: Buffer.alloc(32, 7),
  };
}

/** The accounts feature as the product runs it, on a test's database. */
export function testAccounts(database: Database, changes: Partial<AccountDeps> = {}): AccountService {
  return accountService({ ...accountDeps(database), ...changes });
}

let person = 0;

/** An address that no other call gets. */
export const newEmail = () => `pessoa${++person}@exemplo.com.br`;

/** A sign-up form without faults, of somebody new. */
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

/** As after the link of the letter was opened. */
export async function confirmEmailOf(db: Db, accountId: string): Promise<void> {
  await sql`update account set email_confirmed_at = now() where id = ${accountId}::uuid`.execute(db);
}

let host = 0;

/** Somebody at the door, each at another address, so that only the tests of limits meet a limit. */
export function visitor(headers: Record<string, string> = {}) {
  return { address: `10.0.${++host >> 8}.${host & 255}`, headers: new Headers(headers) };
}

/** `name=value` of a Set-Cookie header, as the browser sends it back. */
export const cookieOf = (setCookie: string) => setCookie.split(";")[0] ?? "";

/** A request that carries this cookie and nothing else. */
export const withCookie = (cookie: string) => ({ headers: new Headers({ cookie }) });

/** The field faults or the code with which a call was refused; `no fault` when it was not. */
export function faultOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "no fault",
    (error: { code?: string; details?: { fields?: unknown } }) => error.details?.fields ?? error.code,
  );
}
