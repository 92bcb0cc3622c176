import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { PASSWORD, signUpForm, testAccounts, visitor } from "../../../tests/support/accounts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { noEmails } from "../../../tests/support/no-emails.ts";
import { outwardAccess } from "../app/outward-access.ts";
import { ownerOf } from "../db/owner.ts";
import { accountOf, createApiKey, generatePassword, resetPassword } from "./administration.ts";
import { apiKeyText, parseApiKey } from "./api-keys.ts";
import { argon2idHasher } from "./password.ts";
import { listApiKeys, revokeApiKey } from "./repo.ts";

const { db, database } = await testDatabase();
const START = new Date("2026-11-20T12:00:00Z").getTime();
let now = START;
const clock = { now: () => new Date(now), monotonic: () => 0 };
const accounts = testAccounts(database, { clock });

const bearer = (key: string) => ({ headers: new Headers({ authorization: `Bearer ${key}` }) });
const form = signUpForm({ name: "Ana", email: "ana@exemplo.com" });

beforeEach(async () => {
  now = START;
  await removeAccounts(db);
});

test("a key opens its account's door; the database keeps only its hash @spec 3.1", async () => {
  const { me } = await accounts.signUp(form, visitor());
  const { id, key } = await createApiKey(ownerOf(db, me.id), { name: "  Loja\u202e ", days: null }, clock);
  expect(key).toMatch(new RegExp(`^rcd_${id}_[A-Za-z0-9_-]{43}$`));
  expect(await accounts.authenticate(bearer(key))).toEqual({
    accountId: me.id,
    via: "key",
    keyName: "Loja",
    scope: "all",
  });

  const [listed] = await listApiKeys(ownerOf(db, me.id));
  expect(listed).toMatchObject({ id, name: "Loja", expires_at: null, revoked_at: null });
  expect(key.startsWith(listed?.prefix ?? "?")).toBe(true);
  const stored = await sql<{ row: string }>`select api_key::text as row from api_key`.execute(db);
  const secret = parseApiKey(key)?.secret ?? "?";
  expect(stored.rows[0]?.row).not.toContain(secret.slice(0, 10));
  expect(stored.rows[0]?.row).not.toContain(Buffer.from(secret).toString("hex").slice(0, 20));
});

test("A21 a revoked key opens nothing, and no other account can revoke it", async () => {
  const { me } = await accounts.signUp(form, visitor());
  const owner = ownerOf(db, me.id);
  const { id, key } = await createApiKey(owner, { name: "x", days: null }, clock);
  const other = ownerOf(db, "6f0d2f6e-6a35-4f63-9a52-4f0f3b9c1d11");
  expect(await revokeApiKey(other, id, clock.now())).toBe(false);
  expect(await listApiKeys(other)).toEqual([]);
  expect(await accounts.authenticate(bearer(key))).not.toBeNull();
  expect(await revokeApiKey(owner, id, clock.now())).toBe(true);
  expect(await revokeApiKey(owner, id, clock.now())).toBe(false);
  expect(await accounts.authenticate(bearer(key))).toBeNull();
});

test("A22 an expired key opens nothing from its very second on", async () => {
  const { me } = await accounts.signUp(form, visitor());
  const { key, expiresAt } = await createApiKey(ownerOf(db, me.id), { name: "x", days: 30 }, clock);
  expect(expiresAt).toEqual(new Date("2026-12-20T12:00:00Z"));
  now += 30 * 86_400_000 - 1;
  expect(await accounts.authenticate(bearer(key))).not.toBeNull();
  now += 1;
  expect(await accounts.authenticate(bearer(key))).toBeNull();
});

test("a wrong, foreign, shortened or malformed key opens nothing, even beside a good cookie", async () => {
  const { me, setCookie } = await accounts.signUp(form, visitor());
  const first = await createApiKey(ownerOf(db, me.id), { name: "1", days: null }, clock);
  const second = await createApiKey(ownerOf(db, me.id), { name: "2", days: null }, clock);
  const secret = parseApiKey(first.key)?.secret ?? "";
  const cookie = setCookie.split(";")[0] ?? "";
  const wrong = [
    apiKeyText(second.id, secret),
    apiKeyText(first.id, "A".repeat(43)),
    apiKeyText(999_999_999_999_999, secret),
    first.key.slice(0, -1),
    `${first.key}A`,
    `rcd_1e99_${secret}`,
    `rcd_-1_${secret}`,
    `rcd_9999999999999999999999_${secret}`,
    secret,
    "",
    "a".repeat(100_000),
  ];
  for (const key of wrong) expect(await accounts.authenticate(bearer(key))).toBeNull();
  const both = new Headers({ authorization: `Bearer ${wrong[0]}`, cookie });
  expect(await accounts.authenticate({ headers: both })).toBeNull();
  const basic = new Headers({ authorization: `Basic ${first.key}` });
  expect(await accounts.authenticate({ headers: basic })).toBeNull();
  const proxied = new Headers({ authorization: "Basic YTpi", cookie });
  expect(await accounts.authenticate({ headers: proxied })).toMatchObject({
    accountId: me.id,
    via: "session",
  });
});

test("its last use is written at most once a minute", async () => {
  const { me } = await accounts.signUp(form, visitor());
  const { key } = await createApiKey(ownerOf(db, me.id), { name: "x", days: null }, clock);
  const usedAt = async () => {
    await accounts.authenticate(bearer(key));
    return (await listApiKeys(ownerOf(db, me.id)))[0]?.last_used_at?.getTime();
  };
  expect(await usedAt()).toBe(START);
  now += 59_000;
  expect(await usedAt()).toBe(START);
  now += 2_000;
  expect(await usedAt()).toBe(START + 61_000);
});

test("A18 a password reset ends every session and API key and changes the password", async () => {
  const { me, setCookie } = await accounts.signUp(form, visitor());
  const second = await accounts.login({ email: me.email, password: PASSWORD }, visitor());
  const { key } = await createApiKey(ownerOf(db, me.id), { name: "x", days: null }, clock);
  const found = await accountOf(db, " ANA@exemplo.com ");
  const fresh = generatePassword();
  expect(fresh).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
  expect(
    found &&
      (await resetPassword(found.owner, fresh, {
        hasher: argon2idHasher,
        clock,
        emails: noEmails,
        outward: outwardAccess,
      })),
  ).toMatchObject({ endedSessions: 2, ended: [{ kind: "key", name: "x" }], living: [] });
  for (const cookie of [setCookie, second.setCookie]) {
    const headers = new Headers({ cookie: cookie.split(";")[0] ?? "" });
    expect(await accounts.authenticate({ headers })).toBeNull();
  }
  await expect(accounts.login({ email: me.email, password: PASSWORD }, visitor())).rejects.toMatchObject({
    code: "login_failed",
  });
  expect((await accounts.login({ email: me.email, password: fresh }, visitor())).me).toEqual(me);
  expect(await accounts.authenticate(bearer(key))).toBeNull();
  expect(await accountOf(db, "ninguem@exemplo.com")).toBeUndefined();
});
