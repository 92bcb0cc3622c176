import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import {
  cookieOf,
  errorOf,
  PASSWORD,
  signUpForm,
  testAccounts,
  visitor,
  withCookie,
} from "../../../tests/support/accounts.ts";
import { countingHasher } from "../../../tests/support/counting-hasher.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { noEmails } from "../../../tests/support/no-emails.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import { outwardAccess } from "../app/outward-access.ts";
import { systemClock } from "../base/clock.ts";
import { ownerOf } from "../db/owner.ts";
import { resetPassword } from "./administration.ts";
import { deleteSessionsOf, updatePassword } from "./repo.ts";
import type { AccountDeps } from "./service.ts";

const { db, database } = await testDatabase();
const DAY = 86_400_000;

const service = (changes: Partial<AccountDeps> = {}) =>
  testAccounts(database, { hasher: countingHasher().hasher, ...changes });

beforeEach(async () => {
  await removeAccounts(db);
});

test("a copy of the database opens no session: the row's token is not the cookie @decision 2", async () => {
  const accounts = service();
  const { setCookie } = await accounts.signUp(signUpForm(), visitor());
  const rows = await sql<{ token: string }>`select token from session`.execute(db);
  const token = rows.rows[0]?.token ?? "";
  expect(decodeURIComponent(setCookie)).toContain(`${token}.`);
  for (const value of [token, `${token}.`, `${token}.${token}`, encodeURIComponent(`${token}.AAAA`)]) {
    expect(await accounts.authenticate(withCookie(`recado.session_token=${value}`))).toBeNull();
  }
  const otherServer = service({ secret: "another secret, of another server 0123456789" });
  expect(await otherServer.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
  expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).not.toBeNull();
});

test.each([
  ["A19 forged", "recado.session_token=abc.def"],
  ["A19 long", `recado.session_token=${"a".repeat(12_000)}`],
  ["A19 not a cookie", "recado.session_token=%ff%00;;;===;"],
  ["A19 NUL in the token", `recado.session_token=${encodeURIComponent("a\0b.sig")}`],
  ["empty", "recado.session_token="],
  ["of another name", "session=1"],
])("%s cookie opens nothing", async (_name, cookie) => {
  expect(await service().authenticate(withCookie(cookie))).toBeNull();
});

test("A18 a cookie is worth nothing after logout; A20 the person's other device stays signed in @spec 4.8", async () => {
  const accounts = service();
  const { me, setCookie } = await accounts.signUp(signUpForm(), visitor());
  const other = await accounts.login({ email: me.email, password: PASSWORD }, visitor());
  const removal = await accounts.logout(new Headers({ cookie: cookieOf(setCookie) }));
  expect(removal).toBe("recado.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
  expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
  expect(await accounts.authenticate(withCookie(cookieOf(other.setCookie)))).toMatchObject({
    accountId: me.id,
  });
  await accounts.logout(new Headers());
});

test("A18 deleting the account ends its sessions", async () => {
  const accounts = service();
  const { me, setCookie } = await accounts.signUp(signUpForm(), visitor());
  await sql`delete from account where id = ${me.id}`.execute(db);
  expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
  expect(await errorOf(accounts.me(ownerOf(db, randomUUID())))).toBe("unauthenticated");
});

test("seven days without use end it; use carries it on, to thirty days and no longer", async () => {
  let now = Date.now();
  const accounts = service({ clock: { now: () => new Date(now), monotonic: () => 0 } });
  const { me, setCookie } = await accounts.signUp(signUpForm(), visitor());
  const cookie = withCookie(cookieOf(setCookie));
  for (let use = 0; use < 3; use++) {
    now += 6.9 * DAY;
    expect(await accounts.authenticate(cookie)).not.toBeNull();
  }
  now += 7.1 * DAY;
  expect(await accounts.authenticate(cookie)).toBeNull();
  expect((await sql`select id from session`.execute(db)).rows).toEqual([]);

  const second = await accounts.login({ email: me.email, password: PASSWORD }, visitor());
  const ends = await sql<{ days: number }>`
      select extract(epoch from expires_at - created_at)::float8 / 86400 as days from session`.execute(db);
  expect(ends.rows[0]?.days).toBeCloseTo(30, 3);
  await sql`update session set created_at = created_at - interval '31 days', expires_at = expires_at - interval '31 days'`.execute(
    db,
  );
  now = Date.now();
  expect(await accounts.authenticate(withCookie(cookieOf(second.setCookie)))).toBeNull();
});

test("sessions that are over are forgotten by the nightly job, living ones stay", async () => {
  const accounts = service();
  const { me } = await accounts.signUp(signUpForm(), visitor());
  await accounts.login({ email: me.email, password: PASSWORD }, visitor());
  await accounts.login({ email: me.email, password: PASSWORD }, visitor());
  const ids = (await sql<{ id: string }>`select id from session`.execute(db)).rows.map((row) => row.id);
  await sql`update session set expires_at = now() - interval '1 second' where id = ${ids[0]}`.execute(db);
  await sql`update session set updated_at = now() - interval '8 days' where id = ${ids[1]}`.execute(db);
  await accounts.pruneSessions();
  expect((await sql`select id from session`.execute(db)).rows).toEqual([{ id: ids[2] }]);
});

test("over https the cookie is Secure and bound to the host", async () => {
  const accounts = service({ publicUrl: "https://recado.exemplo.com.br" });
  const { setCookie } = await accounts.signUp(signUpForm(), visitor());
  expect(setCookie).toMatch(/^__Host-recado\.session_token=.+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).not.toBeNull();
  expect(await accounts.logout(new Headers())).toContain("; Secure");
});

test("signing in with the old password during its change leaves no session", async () => {
  const { hasher } = countingHasher();
  const form = signUpForm();
  const { me } = await service({ hasher }).signUp(form, visitor());
  const owner = ownerOf(db, me.id);
  const verify = async (hash: string, password: string) => {
    const right = await hasher.verify(hash, password);
    await resetPassword(owner, "orquídea na janela", {
      hasher,
      clock: systemClock,
      emails: noEmails,
      outward: outwardAccess,
    });
    return right;
  };
  const login = service({ hasher: { ...hasher, verify } }).login(form, visitor());
  expect(await errorOf(login)).toBe("login_failed");
  expect((await sql`select 1 from session`.execute(db)).rows).toEqual([]);
  const again = await service({ hasher }).login({ ...form, password: "orquídea na janela" }, visitor());
  expect(again.me.id).toBe(me.id);
});

test("signing in with the old password while the new one is being stored leaves no session", async () => {
  const { hasher } = countingHasher();
  const form = signUpForm();
  const { me } = await service({ hasher }).signUp(form, visitor());
  const hash = await hasher.hash("orquídea na janela");
  const { login } = await unhurried(db, async (tx) => {
    const inside = ownerOf(tx, me.id);
    await updatePassword(inside, hash, new Date());
    await deleteSessionsOf(inside);
    const signingIn = service({ hasher }).login(form, visitor());
    signingIn.catch(() => undefined);
    await untilWaiting(db);
    return { login: signingIn };
  });
  expect(await errorOf(login)).toBe("login_failed");
  expect((await sql`select 1 from session`.execute(db)).rows).toEqual([]);
});
