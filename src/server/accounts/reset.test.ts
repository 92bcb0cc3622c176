import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import pino from "pino";
import { beforeEach, expect, test, vi } from "vitest";
import { confirmEmailOf } from "../../../tests/support/accounts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import {
  smtpOf,
  TEST_ORIGIN,
  testMailServer,
  testSender,
  UNSUBSCRIBE_TEST_KEY,
} from "../../../tests/support/mail.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { outwardAccess } from "../app/outward-access.ts";
import type { Db } from "../db/client.ts";
import { ownerOf } from "../db/owner.ts";
import { endRestoreLock, writeRestoreLock } from "../db/restore-lock.ts";
import { createApp } from "../http/app.ts";
import { QueuedAccountEmails } from "../notifications/account-emails.ts";
import { insertEmail } from "../notifications/mail-repo.ts";
import { changePreferences } from "../notifications/preferences.ts";
import { createApiKey, resetPassword } from "./administration.ts";
import { knownBrowsers } from "./known-browsers.ts";
import { accountGuard } from "./limits.ts";
import { insertLink } from "./link-repo.ts";
import { argon2idHasher, boundedHasher } from "./password.ts";
import { changeProfile } from "./profile.ts";
import { closeAccount } from "./removal-repo.ts";
import { findAccount } from "./repo.ts";
import { PasswordResets } from "./reset.ts";
import { mountAccounts, mountResets } from "./routes.ts";
import { AccountService } from "./service.ts";

const { db, database } = await testDatabase();
const mail = await testMailServer();
const clock = manualClock(new Date());
const lines: string[] = [];
const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
const hasher = boundedHasher(argon2idHasher);
const guard = accountGuard(database);
const sender = testSender(db, clock, smtpOf(mail), log);
const emails = new QueuedAccountEmails({ clock, url: TEST_ORIGIN, configured: true });
const browsers = knownBrowsers(Buffer.alloc(32, 3), false);
const deps = {
  db,
  clock,
  log,
  hasher,
  guard,
  emails,
  browsers,
  outward: outwardAccess,
  setHooks: async () => undefined,
  key: UNSUBSCRIBE_TEST_KEY,
};
const service = new AccountService({
  signup: "open",
  database,
  clock,
  log,
  hasher,
  guard,
  publicUrl: null,
  secret: "a secret that is not in the database 0123456789",
  terms: { version: "abc", text: "# Termos" },
  watch: { browsers, emails },
});

function appWith(configured: boolean) {
  const app = createApp({
    db,
    log,
    authenticate: service.authenticate,
    publicOrigin: null,
    trustedProxies: 1,
  });
  mountAccounts(app, service);
  mountResets(app, new PasswordResets({ ...deps, configured }));
  return app;
}
const [app, without] = [appWith(true), appWith(false)];

beforeEach(async () => {
  lines.length = 0;
  mail.emails.length = 0;
  await sql`delete from verification`.execute(db);
  await removeAccounts(db);
});

let host = 0;
const post = (path: string, body: unknown, { to = app, from = `10.2.${++host >> 8}.${host & 255}` } = {}) =>
  to.hono.request(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", "x-forwarded-for": from },
  });
const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as ErrorAnswer).code];

const OLD = "girassol no quintal";
const NEW = "o sabiá canta cedo";
const email = "ana@exemplo.com";

async function signUp(): Promise<{ id: string; cookie: string; browser: string }> {
  const form = { name: "Ana Souza", email, password: OLD, confirmPassword: OLD, acceptTerms: true };
  const answer = await post("/api/signup", form);
  const { id } = (await answer.json()) as { id: string };
  const [cookie = "", browser = ""] = answer.headers.getSetCookie().map((one) => one.split(";")[0]);
  return { id, cookie, browser };
}

async function link(typed = email): Promise<{ token: string; text: string }> {
  const before = mail.emails.length;
  expect((await post("/api/password-reset", { email: typed })).status).toBe(204);
  await vi.waitUntil(
    async () => {
      await sender.sendDue(Number.POSITIVE_INFINITY);
      return mail.emails.length > before;
    },
    { timeout: 60_000 },
  );
  const { text = "" } = mail.emails.at(-1) ?? {};
  return { text, token: /nova-senha#([\w-]+)/.exec(text)?.[1] ?? "" };
}

const use = (token: string, newPassword = NEW, options?: { from: string }) =>
  post("/api/password-reset/password", { token, newPassword, confirmPassword: newPassword }, options);
const look = (token: string) => post("/api/password-reset/link", { token });
const login = async (password: string, options?: { from: string }) =>
  (await post("/api/login", { email, password }, options)).status;

test("the e-mail's link sets a new password once, ends every session and every other link, and is recorded", async () => {
  const { id, cookie } = await signUp();
  const other = await link();
  const { token, text } = await link(" ANA@exemplo.com ");
  expect(text).toContain("Olá, Ana Souza.");
  expect(text).toContain(`${TEST_ORIGIN}/nova-senha#${token}`);
  expect(await (await look(token)).json()).toEqual({ email });
  expect((await use(token)).status).toBe(200);
  expect([await login(OLD), await login(NEW)]).toEqual([401, 200]);
  expect((await app.hono.request("/api/me", { headers: { cookie } })).status).toBe(401);
  for (const over of [token, other.token]) {
    expect(await codeOf(await look(over))).toEqual([410, "reset_link_over"]);
    expect(await codeOf(await use(over, "outra senha bem longa"))).toEqual([410, "reset_link_over"]);
  }
  const { rows } = await sql<{ kind: string; actor: string }>`select kind, actor from audit_event
    where account_id = ${id}::uuid and kind like 'password%'`.execute(db);
  expect(rows).toEqual([{ kind: "password_reset", actor: "session" }]);
  await sender.sendDue(Number.POSITIVE_INFINITY);
  expect(mail.emails.map(({ text }) => text.includes("foi trocada em"))).toContain(true);
});

test("of two uses at the same moment one sets its password", async () => {
  await signUp();
  const { token } = await link();
  const answers = await Promise.all([use(token, NEW), use(token, "a outra das duas senhas")]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410]);
});

async function instanceRow(
  on: Db,
  account: string,
  { relay }: { relay: string },
): Promise<{ connectionId: number }> {
  const { rows } = await sql<{ connectionId: number }>`
    with server as (
      insert into gateway (account_id, name, url, api_key, key_hint)
      values (${account}::uuid, 'Servidor', 'https://golpe.example', '\\x00', 'abcd') returning id),
    made as (
      insert into connection (account_id, kind, device_id, name, state)
      values (${account}::uuid, 'instance', 'loja', 'Loja', 'connected') returning id)
    insert into instance (connection_id, account_id, gateway_id, gateway_url, name, hook_id, hook_secret, hook_state, relay_url)
    select made.id, ${account}::uuid, server.id, 'https://golpe.example', 'loja', ${randomUUID()}, '\\x00', 'literal', ${relay}
    from made, server returning connection_id as "connectionId"`.execute(on);
  const [row] = rows;
  if (!row) throw new Error("no instance");
  return row;
}

async function whilePasswordIsHeld<T>(id: string, works: (() => T | Promise<T>)[]): Promise<T[]> {
  const running: (T | Promise<T>)[] = [];
  await unhurried(db, async (tx) => {
    await sql`select 1 from credential where account_id = ${id}::uuid for update`.execute(tx);
    for (const [nth, work] of works.entries()) {
      running.push(work());
      await untilWaiting(db, nth + 1);
    }
  });
  return Promise.all(running);
}

test("of two links that are used at the same moment one sets its password, and the other is over", async () => {
  const { id } = await signUp();
  const [first, second] = [await link(), await link()];
  const answers = await whilePasswordIsHeld(id, [() => use(first.token), () => use(second.token)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 410]);
});

test("a link that is used while its account is being deleted is over, and the account is deleted", async () => {
  const { id } = await signUp();
  const { token } = await link();
  const close = () => db.transaction().execute((tx) => closeAccount(ownerOf(tx, id), clock.now()));
  const answers = await whilePasswordIsHeld<unknown>(id, [close, async () => (await use(token)).status]);
  expect(answers[1]).toBe(410);
  expect(await login(NEW)).toBe(401);
});

test("an e-mail with a link is taken before all news that wait", async () => {
  const { id } = await signUp();
  await confirmEmailOf(db, id);
  const news = { kind: "product" as const, subject: "Novidades", body: "Olá" };
  for (let nth = 0; nth < 3; nth += 1)
    await insertEmail(ownerOf(db, id), { ...news, key: `n${nth}` }, clock.now());
  clock.advance(60_000);
  await post("/api/password-reset", { email });
  const queued = () => sql`select 1 from mail where kind = 'account_updates'`.execute(db);
  await vi.waitUntil(async () => (await queued()).rows.length > 0, { timeout: 60_000 });
  await sender.sendDue(clock.monotonic() + 1);
  expect(mail.emails[0]?.text).toContain("nova-senha#");
});

test("a link that waits while the mail server is down comes also to who wants no other e-mail about the account", async () => {
  const { id } = await signUp();
  const owner = ownerOf(db, id);
  await confirmEmailOf(db, id);
  const waiting = { kind: "account_updates" as const, subject: "Chave", body: "Olá", key: "key/1" };
  await insertEmail(owner, waiting, clock.now());
  await post("/api/password-reset", { email });
  const queued = () => sql`select 1 from mail where account_id = ${id}::uuid`.execute(db);
  await vi.waitUntil(async () => (await queued()).rows.length === 2, { timeout: 60_000 });
  await changePreferences(owner, { emailAccountUpdates: false }, clock.now());
  await sender.sendDue(Number.POSITIVE_INFINITY);
  expect(mail.emails.map(({ text }) => /nova-senha#([\w-]+)/.test(text))).toEqual([true]);
});

test("an hour later the link is over, and the night takes its row", async () => {
  await signUp();
  const { token } = await link();
  clock.advance(59 * 60_000);
  expect((await look(token)).status).toBe(200);
  clock.advance(61_000);
  expect(await codeOf(await look(token))).toEqual([410, "reset_link_over"]);
  expect(await codeOf(await use(token))).toEqual([410, "reset_link_over"]);
  await new PasswordResets({ ...deps, configured: true }).pruneOld();
  expect((await sql`select 1 from verification`.execute(db)).rows).toEqual([]);
});

test("an unknown e-mail gets the same answer, and no e-mail", async () => {
  await signUp();
  const unknownEmail = await post("/api/password-reset", { email: "ninguem@exemplo.com" });
  const knownEmail = await post("/api/password-reset", { email });
  const seen = async (answer: Response) => {
    answer.headers.delete("x-request-id");
    return [answer.status, [...answer.headers].toSorted(), await answer.text()];
  };
  expect(await seen(unknownEmail)).toEqual(await seen(knownEmail));
  await vi.waitUntil(async () => (await sql`select 1 from mail`.execute(db)).rows.length > 0, {
    timeout: 60_000,
  });
  const { rows } = await sql<{ to: string }>`select a.email as to from mail m join account a
    on a.id = m.account_id`.execute(db);
  expect(rows).toEqual([{ to: email }]);
});

test("the new password is held to the rules of sign-up, and a refused one leaves the link as it was", async () => {
  await signUp();
  const { token } = await link();
  const form = { token, newPassword: "curta", confirmPassword: "outra" };
  expect(await (await post("/api/password-reset/password", form)).json()).toMatchObject({
    code: "invalid_fields",
    fields: { newPassword: expect.any(String) as unknown, confirmPassword: "As senhas não coincidem." },
  });
  expect((await use(token, "ana@exemplo.com")).status).toBe(422);
  expect((await use(token)).status).toBe(200);
});

test("neither the database nor the log holds a link, and what is no link is one that is over", async () => {
  await signUp();
  const { token } = await link();
  await use(token, "curta");
  const secret = token.slice(22);
  const { rows } = await sql<{ row: string }>`select m::text as row from mail m
    union all select v::text from verification v union all select r::text from rate_limit r
    union all select e::text from audit_event e`.execute(db);
  const kept = [...rows.map(({ row }) => row), ...lines].join("\n");
  expect(kept).toContain("password-reset:");
  expect(kept).not.toContain(secret);
  const forged = `${token.slice(0, 22)}${"A".repeat(42)}`;
  for (const wrong of ["", "x", forged, `${token}A`, token.slice(1), token.toLowerCase()])
    expect(await codeOf(await use(wrong))).toEqual([410, "reset_link_over"]);
});

test("another password, another e-mail and a deleted account end the links that are out", async () => {
  const { id } = await signUp();
  const owner = ownerOf(db, id);
  const first = await link();
  await resetPassword(owner, OLD, deps);
  expect((await look(first.token)).status).toBe(410);
  const second = await link();
  const confirmations = { by: null, send: async () => undefined };
  await changeProfile({ ...deps, confirmations, changes: { mark: () => undefined } }, owner, {
    email: "ana.nova@exemplo.com",
    password: OLD,
  });
  expect((await look(second.token)).status).toBe(410);
  const third = await link("ana.nova@exemplo.com");
  await insertLink(owner, "confirmation", {
    id: randomUUID(),
    hash: "x",
    expiresAt: new Date(clock.now().getTime() + 3_600_000),
    now: clock.now(),
  });
  await closeAccount(owner, clock.now());
  expect((await look(third.token)).status).toBe(410);
  expect((await sql`select 1 from verification`.execute(db)).rows).toEqual([]);
});

test("asking is limited for an e-mail and for an address, whether or not anybody has the e-mail", async () => {
  await signUp();
  for (const typed of [email, "ninguem@exemplo.com"]) {
    const from = `10.3.0.${typed.length}`;
    const asked = async () => (await post("/api/password-reset", { email: typed }, { from })).status;
    const answers = [];
    for (let i = 0; i < 6; i += 1) answers.push(await asked());
    expect(answers).toEqual([204, 204, 204, 204, 204, 429]);
  }
});

test("nor does asking from many addresses fill anybody's mail with links", async () => {
  const answers = [];
  for (let n = 1; n <= 21; n += 1)
    answers.push(
      (await post("/api/password-reset", { email: "cheia@exemplo.com" }, { from: `10.5.0.${n}` })).status,
    );
  expect(answers).toEqual([...Array(20).fill(204), 429]);
});

test("who tried old passwords until none was taken comes in with the new one", async () => {
  await signUp();
  const here = { from: "10.4.0.1" };
  for (let i = 0; i < 5; i += 1) expect(await login("senha errada", here)).toBe(401);
  expect(await login(OLD, here)).toBe(429);
  const { token } = await link();
  expect((await use(token, NEW, here)).status).toBe(200);
  expect(await login(NEW, here)).toBe(200);
});

test("where no e-mail can be sent it says so, also in a restored copy that is held", async () => {
  await signUp();
  const means = async (to: typeof app) => (await to.hono.request("/api/password-reset")).json();
  expect([await means(app), await means(without)]).toEqual([{ byMail: true }, { byMail: false }]);
  const refused = [409, "mail_not_configured"];
  expect(await codeOf(await post("/api/password-reset", { email }, { to: without }))).toEqual(refused);
  await writeRestoreLock(db, "2026-11-20T00:00:00Z");
  expect(await means(app)).toEqual({ byMail: false });
  expect(await codeOf(await post("/api/password-reset", { email }))).toEqual(refused);
  await endRestoreLock(db);
  expect(await codeOf(await post("/api/password-reset", { email: "ana" }))).toEqual([422, "invalid_fields"]);
});

test("F6 an account taken in advance is worth nothing to the thief", async () => {
  const thief = await signUp();
  const owner = ownerOf(db, thief.id);
  const { key } = await createApiKey(owner, { name: "Pix: https://golpe.example", days: null }, clock);
  const { connectionId } = await instanceRow(db, thief.id, { relay: "https://golpe.example:8443/tudo" });
  await changePreferences(owner, { emailAccountUpdates: false }, clock.now());
  await sql`update account set pending_email = 'ladrao@golpe.example' where id = ${thief.id}`.execute(db);
  const caller = (headers: Record<string, string>) => service.authenticate({ headers: new Headers(headers) });
  const bearer = { authorization: `Bearer ${key}` };
  expect(await caller(bearer)).toMatchObject({ accountId: thief.id });

  const again = { name: "Maria", email, password: NEW, confirmPassword: NEW, acceptTerms: true };
  expect(await codeOf(await post("/api/signup", again))).toEqual([422, "signup_failed"]);
  await vi.waitUntil(
    async () => {
      await sender.sendDue(Number.POSITIVE_INFINITY);
      return mail.emails.length > 0;
    },
    { timeout: 60_000 },
  );
  expect(mail.emails[0]?.text).toContain("«Esqueci minha senha»");
  const { token } = await link();
  const used = await use(token);
  expect(await used.json()).toEqual({
    endedSessions: 1,
    ended: [
      { kind: "key", name: "Pix: https://golpe.example", prefix: expect.stringMatching(/^rcd_/) as unknown },
      { kind: "relay", name: "loja", host: "golpe.example:8443" },
    ],
    living: [{ kind: "gateway", name: "Servidor", host: "golpe.example" }],
  });
  expect([await caller(bearer), await caller({ cookie: thief.cookie })]).toEqual([null, null]);
  const { rows } =
    await sql`select relay_url, hook_state from instance where connection_id = ${connectionId}`.execute(db);
  expect(rows).toEqual([{ relay_url: null, hook_state: "unset" }]);
  expect(await findAccount(owner)).toMatchObject({
    pending_email: null,
    email_confirmed_at: expect.any(Date) as unknown,
  });

  // Despite disabled e-mails, and without any link of the thief's.
  await sender.sendDue(Number.POSITIVE_INFINITY);
  const { text = "" } = mail.emails.find(({ text }) => text.includes("foi trocada em")) ?? {};
  expect(text).toContain("Deixaram de funcionar:\n- chave de API «Pix golpe example» (rcd_");
  expect(text).toContain("- endereço que recebe as mensagens da instância «loja» (golpe[.]example[:]8443)");
  expect(text).toContain("Confira se são seus:\n- servidor Evolution «Servidor» (golpe[.]example)");
  expect(text.replaceAll(TEST_ORIGIN, "")).not.toMatch(/https?:|golpe\.example/);

  const account = await findAccount(owner);
  const knows = (cookies: string) => account && browsers.knows(new Headers({ cookie: cookies }), account);
  expect(knows(thief.browser)).toBe(false);
  expect(knows(used.headers.get("set-cookie")?.split(";")[0] ?? "")).toBe(true);
});
