import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import {
  accountDeps,
  confirmEmailOf,
  cookieOf,
  newEmail,
  PASSWORD,
  settingsDeps,
  signUpForm,
  visitor,
} from "../../../tests/support/accounts.ts";
import { countingHasher } from "../../../tests/support/counting-hasher.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import type { Me } from "../../contract/accounts.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { type ErrorAnswer, OPT_OUT_CONFIRMATION } from "../../contract/error-messages.ts";
import type { ApiKey, Session } from "../../contract/settings.ts";
import { systemClock } from "../base/clock.ts";
import { createApp } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import { QueuedAccountEmails } from "../notifications/account-emails.ts";
import { knownBrowsers } from "./known-browsers.ts";
import { mountAccounts } from "./routes.ts";
import { AccountService } from "./service.ts";
import { AccountSettings } from "./settings.ts";
import { mountSettings } from "./settings-routes.ts";

const { db, database } = await testDatabase();
const deps = { ...accountDeps(database), hasher: countingHasher().hasher };
const accounts = new AccountService(deps);
const emails = new QueuedAccountEmails({
  clock: systemClock,
  url: "https://recado.exemplo.com.br",
  configured: true,
});
const marks: string[] = [];
const changes = { mark: (account: string, topic: string) => void marks.push(`${account} ${topic}`) };
const settings = new AccountSettings({ ...deps, ...settingsDeps(deps), emails, changes });
const app = createApp({
  db,
  log: testLog,
  authenticate: accounts.authenticate,
  publicOrigin: null,
  trustedProxies: 0,
});
mountAccounts(app, accounts);
mountSettings(app, {
  settings,
  removal: { remove: async () => undefined },
  exportAccount: async () => new Response(null),
});
for (const [method, path, sends] of [
  ["GET", "/api/things", false],
  ["POST", "/api/things", false],
  ["DELETE", "/api/things", false],
  ["POST", "/api/messages", true],
] as const) {
  const one = { method, path, summary: "", access: "key", answer: "stream" } as const;
  mount(app, endpoint(sends ? { ...one, sends } : one), () => new Response("done"));
}

beforeEach(async () => {
  await removeAccounts(db);
});

type Person = { me: Me; cookie: string };

async function signUp(): Promise<Person> {
  const { me, setCookie } = await accounts.signUp(signUpForm(), visitor());
  await confirmEmailOf(db, me.id);
  return { me, cookie: cookieOf(setCookie) };
}

async function call<T>(headers: Record<string, string>, method: string, path: string, body?: unknown) {
  const init =
    body === undefined
      ? { method, headers }
      : { method, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await app.hono.request(path, init);
  const text = await answer.text();
  return { status: answer.status, body: (text.startsWith("{") ? JSON.parse(text) : text) as T };
}

const as =
  ({ cookie }: Pick<Person, "cookie">) =>
  <T>(method: string, path: string, body?: unknown) =>
    call<T>({ cookie }, method, path, body);

async function sentEmails(account: string) {
  const { rows } = await sql<{ subject: string; body: string; address: string | null }>`
    select subject, body, address from mail where account_id = ${account} order by id`.execute(db);
  return rows;
}

test("the answer to an opt-out is the product's until the account writes its own, and again once emptied", async () => {
  const [ana, rui] = [await signUp(), await signUp()];
  const put = <T = { text: string }>(text: string) =>
    as(ana)<T>("PUT", "/api/settings/opt-out-confirmation", { text });
  const seen = async (who: Person) =>
    (await as(who)<{ text: string }>("GET", "/api/settings/opt-out-confirmation")).body.text;
  expect(await seen(ana)).toBe(OPT_OUT_CONFIRMATION);
  expect((await put("Até logo, {nome}!")).body).toEqual({ text: "Até logo, {nome}!" });
  expect([await seen(ana), await seen(rui)]).toEqual(["Até logo, {nome}!", OPT_OUT_CONFIRMATION]);
  expect((await put("😀".repeat(500))).status).toBe(200);
  for (const [text, words] of [
    ["😀".repeat(501), "Use no máximo 500 caracteres."],
    ["{nome}", "Escreva a mensagem."],
    ["Oi \ud83d", "O texto contém caracteres inválidos."],
  ] as const) {
    const refused = await put<ErrorAnswer>(text);
    expect([refused.status, refused.body.fields]).toEqual([422, { text: words }]);
  }
  expect(await seen(ana)).toBe("😀".repeat(500));
  expect((await put(" \n ")).body).toEqual({ text: OPT_OUT_CONFIRMATION });
  const { rows } = await sql`select distinct opt_out_confirmation as own from account`.execute(db);
  expect(rows).toEqual([{ own: null }]);
});

test("name, company, zone and language are kept, each as it should be written @decision 12", async () => {
  const ana = await signUp();
  marks.length = 0;
  const saved = await as(ana)<Me>("PATCH", "/api/settings/profile", {
    name: "  Ana\u202e  Maria ",
    company: " Padaria  Sol ",
    timeZone: "America/Noronha",
    language: "en",
    riskRead: true,
    stepsHidden: true,
  });
  expect(saved.status).toBe(200);
  expect(marks, "every page of hers hears of it").toEqual([`${ana.me.id} account`]);
  expect(saved.body).toEqual({
    ...ana.me,
    name: "Ana Maria",
    company: "Padaria Sol",
    timeZone: "America/Noronha",
    language: "en",
    riskRead: true,
    stepsHidden: true,
  });
  const again = await as(ana)<Me>("PATCH", "/api/settings/profile", { stepsHidden: false, company: "" });
  expect(again.body).toMatchObject({ name: "Ana Maria", company: "", stepsHidden: false, riskRead: true });
  expect((await as(ana)<Me>("GET", "/api/me")).body).toEqual(again.body);
});

test("every error of the profile under its field, and nothing of it kept", async () => {
  const ana = await signUp();
  const refused = await as(ana)<{ fields: object }>("PATCH", "/api/settings/profile", {
    name: " ",
    company: "x".repeat(121),
    timeZone: "Mars/Base",
    email: "nada",
  });
  expect(refused.status).toBe(422);
  expect(Object.keys(refused.body.fields).toSorted()).toEqual(["company", "email", "name", "timeZone"]);
  expect((await as(ana)("GET", "/api/me")).body).toEqual(ana.me);
});

test("a zone unknown to the database is refused like a zone that does not exist", async () => {
  const ana = await signUp();
  // Intl accepts this zone, PostgreSQL does not.
  const refused = await as(ana)("PATCH", "/api/settings/profile", { timeZone: "us/pacific-new" });
  expect(refused.status).toBe(422);
});

test("a new e-mail asks for the password, tells the old address, and is the one to sign in with", async () => {
  const ana = await signUp();
  const email = "nova@exemplo.com.br";
  const without = await as(ana)<{ fields: object }>("PATCH", "/api/settings/profile", { email });
  expect([without.status, without.body.fields]).toEqual([422, { password: "Preencha este campo." }]);
  const wrong = await as(ana)<{ fields: object }>("PATCH", "/api/settings/profile", { email, password: "x" });
  expect([wrong.status, wrong.body.fields]).toEqual([422, { password: "Senha incorreta." }]);
  const saved = await as(ana)<Me>("PATCH", "/api/settings/profile", { email, password: PASSWORD });
  expect([saved.status, saved.body.email]).toEqual([200, email]);
  await accounts.login({ email, password: PASSWORD }, visitor());
  const [received] = await sentEmails(ana.me.id);
  expect(received?.address).toBe(ana.me.email);
  expect(received?.body).toContain("outro tomou o lugar dele");
  expect(received?.body).not.toContain(email);
  expect((await as(ana)("PATCH", "/api/settings/profile", { email: email.toUpperCase() })).status).toBe(200);
  expect(await sentEmails(ana.me.id)).toHaveLength(1);
});

test("the later of two new e-mails wins and notifies the other; repeating the former changes only the name", async () => {
  const ana = await signUp();
  const [first, second, third] = [newEmail(), newEmail(), newEmail()];
  const beside = async (email: string, form: object) => {
    let late: Promise<{ status: number }> | undefined;
    await unhurried(db, async (tx) => {
      await sql`update account set email = ${email} where id = ${ana.me.id}`.execute(tx);
      late = as(ana)("PATCH", "/api/settings/profile", form);
      await untilWaiting(db);
    });
    expect(await late).toMatchObject({ status: 200 });
  };
  await beside(first, { email: second, password: PASSWORD });
  expect((await sentEmails(ana.me.id)).map(({ address }) => address)).toEqual([first]);
  await beside(third, { name: "Ana Maria", email: second });
  expect((await as(ana)<Me>("GET", "/api/me")).body).toMatchObject({ name: "Ana Maria", email: third });
});

test("a taken e-mail is refused without saying that it is taken", async () => {
  const [ana, bruno] = [await signUp(), await signUp()];
  const form = { email: bruno.me.email, password: PASSWORD };
  const refused = await as(ana)("PATCH", "/api/settings/profile", form);
  expect([refused.status, refused.body]).toEqual([
    422,
    { code: "email_change_failed", error: "Não foi possível trocar o e-mail." },
  ]);
  expect((await as(ana)("GET", "/api/me")).body).toEqual(ana.me);
  expect(await sentEmails(ana.me.id)).toEqual([]);
});

const NEW = "o sabiá canta cedo";

test("A18 a new password ends every other session, keeps this one, and the old one opens nothing @decision 16", async () => {
  const ana = await signUp();
  const others = [];
  for (let n = 0; n < 2; n++)
    others.push(await accounts.login({ email: ana.me.email, password: PASSWORD }, visitor()));
  const changed = await as(ana)("POST", "/api/settings/password", {
    password: PASSWORD,
    newPassword: NEW,
    confirmPassword: NEW,
  });
  expect([changed.status, changed.body]).toEqual([200, { endedSessions: 2, ended: [], living: [] }]);
  for (const { setCookie } of others)
    expect((await call({ cookie: cookieOf(setCookie) }, "GET", "/api/me")).status).toBe(401);
  expect((await as(ana)("GET", "/api/me")).status).toBe(200);
  const old = accounts.login({ email: ana.me.email, password: PASSWORD }, visitor());
  await expect(old).rejects.toMatchObject({ code: "login_failed" });
  await accounts.login({ email: ana.me.email, password: NEW }, visitor());
  expect((await sentEmails(ana.me.id)).map(({ subject }) => subject)).toEqual([
    "A senha da sua conta foi trocada",
  ]);
});

test("F6 a change of the password ends keys where that is ticked; otherwise the e-mail names those that live", async () => {
  const ana = await signUp();
  const made = await as(ana)<{ key: string; apiKey: ApiKey }>("POST", "/api/settings/api-keys", {
    name: "Loja",
  });
  const bearer = { authorization: `Bearer ${made.body.key}` };
  const change = (password: string, newPassword: string, endAccess: boolean) =>
    as(ana)("POST", "/api/settings/password", {
      password,
      newPassword,
      confirmPassword: newPassword,
      endAccess,
    });
  const key = { kind: "key", name: "Loja", prefix: made.body.apiKey.prefix };
  expect((await change(PASSWORD, NEW, false)).body).toEqual({ endedSessions: 0, ended: [], living: [key] });
  expect((await call(bearer, "GET", "/api/things")).status).toBe(200);
  expect((await change(NEW, PASSWORD, true)).body).toEqual({ endedSessions: 0, ended: [key], living: [] });
  expect((await call(bearer, "GET", "/api/things")).status).toBe(401);
  expect((await as(ana)("GET", "/api/me")).status).toBe(200);
  const [, kept, ended] = await sentEmails(ana.me.id);
  const line = `\n- chave de API «Loja» (${key.prefix}…)`;
  expect(kept?.body).toContain(`Continuam ligados à conta. Confira se são seus:${line}`);
  expect(ended?.body).toContain(`Deixaram de funcionar:${line}`);
});

test("the rules of a password are those of the sign-up, and its errors stand under their fields", async () => {
  const ana = await signUp();
  const refused = await as(ana)<{ fields: object }>("POST", "/api/settings/password", {
    password: "",
    newPassword: "12345678",
    confirmPassword: "outra",
  });
  expect(Object.keys(refused.body.fields)).toEqual(["newPassword", "confirmPassword", "password"]);
  expect(await sentEmails(ana.me.id)).toEqual([]);
});

test("A15 the sixth wrong password is not even tried, from whichever form it comes", async () => {
  const ana = await signUp();
  const wrong = { password: "errada 123", newPassword: NEW, confirmPassword: NEW };
  for (let n = 0; n < 5; n++)
    expect((await as(ana)("POST", "/api/settings/password", wrong)).status).toBe(422);
  const right = { email: "nova@exemplo.com.br", password: PASSWORD };
  expect((await as(ana)("PATCH", "/api/settings/profile", right)).status).toBe(429);
});

test("a key's text is shown once; the list tells keys apart and opens nothing @spec 2.56", async () => {
  const ana = await signUp();
  const made = await as(ana)<{ key: string; apiKey: ApiKey }>("POST", "/api/settings/api-keys", {
    name: " Loja ",
    scope: "read",
    days: 30,
  });
  expect(made.status).toBe(201);
  const { key, apiKey } = made.body;
  expect(apiKey).toMatchObject({ name: "Loja", scope: "read", lastUsedAt: null, revokedAt: null });
  expect(key.startsWith(apiKey.prefix)).toBe(true);
  const days = (Date.parse(apiKey.expiresAt ?? "") - Date.parse(apiKey.createdAt)) / 86_400_000;
  expect(days).toBe(30);
  expect((await call({ authorization: `Bearer ${key}` }, "GET", "/api/things")).status).toBe(200);
  const list = await as(ana)<{ keys: ApiKey[] }>("GET", "/api/settings/api-keys");
  expect(list.body.keys).toEqual([{ ...apiKey, lastUsedAt: expect.any(String) }]);
  expect(JSON.stringify(list.body)).not.toContain(key);
  const stored = await sql`select k::text from api_key k union all select m::text from mail m`.execute(db);
  expect(JSON.stringify(stored.rows)).not.toContain(key.slice(-43));
  expect((await sentEmails(ana.me.id)).map(({ subject }) => subject)).toEqual([
    "Uma chave de API foi criada",
  ]);
});

test("a repeated key request returns the same key and text, also for two requests at once", async () => {
  const ana = await signUp();
  type Made = { key: string; apiKey: ApiKey; code?: string };
  const ask = (name = "Loja") =>
    as(ana)<Made>("POST", "/api/settings/api-keys", { name, idempotencyKey: "press-1" });
  const [first, twin] = await Promise.all([ask(), ask()]);
  expect([first.status, twin.status]).toEqual([201, 201]);
  const { key } = first.body;
  expect([twin.body.key, (await ask()).body.key]).toEqual([key, key]);
  expect((await call({ authorization: `Bearer ${key}` }, "GET", "/api/things")).status).toBe(200);
  expect(await sentEmails(ana.me.id)).toHaveLength(1);
  const stored =
    await sql`select k::text from api_key k union all select d::text from idempotency_key d`.execute(db);
  expect(stored.rows).toHaveLength(2);
  expect(JSON.stringify(stored.rows)).not.toContain("press-1");
  expect(await ask("Outra")).toMatchObject({ status: 409, body: { code: "idempotency_mismatch" } });
  const bruno = await signUp();
  const his = await as(bruno)<Made>("POST", "/api/settings/api-keys", {
    name: "Loja",
    idempotencyKey: "press-1",
  });
  expect(his.body.key.slice(-43)).not.toBe(key.slice(-43));
  await as(ana)("DELETE", `/api/settings/api-keys/${first.body.apiKey.id}`);
  expect((await ask()).status).toBe(404);
  await sql`update idempotency_key set at = now() - interval '25 hours'`.execute(db);
  expect((await ask()).body.code).toBe("idempotency_mismatch");
});

test("A21 a revoked key opens nothing from then on; revoking it again changes nothing", async () => {
  const ana = await signUp();
  const { body } = await as(ana)<{ key: string; apiKey: ApiKey }>("POST", "/api/settings/api-keys", {
    name: "x",
  });
  const headers = { authorization: `Bearer ${body.key}` };
  expect((await call(headers, "GET", "/api/things")).status).toBe(200);
  const path = `/api/settings/api-keys/${body.apiKey.id}`;
  const revoked = await as(ana)<ApiKey>("DELETE", path);
  expect(revoked.body.revokedAt).not.toBeNull();
  expect((await call(headers, "GET", "/api/things")).status).toBe(401);
  expect((await as(ana)<ApiKey>("DELETE", path)).body.revokedAt).toBe(revoked.body.revokedAt);
});

test.each([
  ["all", { "GET things": 200, "POST things": 200, "DELETE things": 200, "POST messages": 200 }],
  ["send", { "GET things": 200, "POST things": 403, "DELETE things": 403, "POST messages": 200 }],
  ["read", { "GET things": 200, "POST things": 403, "DELETE things": 403, "POST messages": 403 }],
] as const)("A23 a key with the scope «%s» opens what it says", async (scope, expected) => {
  const ana = await signUp();
  const { body } = await as(ana)<{ key: string }>("POST", "/api/settings/api-keys", { name: "x", scope });
  const headers = { authorization: `Bearer ${body.key}` };
  const seen: Record<string, number> = {};
  for (const one of Object.keys(expected)) {
    const [method = "", name] = one.split(" ");
    const answer = await call<{ code: string }>(headers, method, `/api/${name}`);
    seen[one] = answer.status;
    if (answer.status === 403) expect(answer.body.code).toBe("forbidden_scope");
  }
  expect(seen).toEqual(expected);
});

test("A23 no key, whatever its scope, reads or changes anything in the settings", async () => {
  const ana = await signUp();
  const { body } = await as(ana)<{ key: string }>("POST", "/api/settings/api-keys", { name: "x" });
  const headers = { authorization: `Bearer ${body.key}` };
  for (const { method, path } of app.endpoints.filter((one) => one.path.startsWith("/api/settings/"))) {
    const answer = await call<{ code: string }>(headers, method, path.replace(/\{\w+\}/, "1"));
    expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 403, "forbidden_scope"]);
  }
});

test("the fifty-first living key is refused; a revoked one makes room", async () => {
  const ana = await signUp();
  await sql`insert into api_key (account_id, name, prefix, hash)
    select ${ana.me.id}::uuid, 'x', 'p', int4send(n) from generate_series(1, 50) n`.execute(db);
  expect((await as(ana)("POST", "/api/settings/api-keys", { name: "y" })).status).toBe(409);
  await sql`update api_key set revoked_at = now() where id = (select min(id) from api_key)`.execute(db);
  expect((await as(ana)("POST", "/api/settings/api-keys", { name: "y" })).status).toBe(201);
});

test("A20 the list of sessions names this one, and when each was used last; each can be ended, this one too", async () => {
  const begun = Date.now();
  const ana = await signUp();
  const other = await accounts.login(
    { email: ana.me.email, password: PASSWORD },
    visitor({ "user-agent": "Firefox" }),
  );
  await sql`update session set updated_at = now() - interval '5 minutes'`.execute(db);
  expect((await call({ cookie: cookieOf(other.setCookie) }, "GET", "/api/me")).status).toBe(200);
  await sql`insert into session (account_id, token, expires_at, updated_at) values
    (${ana.me.id}, 'idle', now() + interval '1 day', now() - interval '8 days'),
    (${ana.me.id}, 'over', now() - interval '1 minute', now())`.execute(db);
  const list = await as(ana)<{ sessions: Session[] }>("GET", "/api/settings/sessions");
  expect(list.body.sessions).toHaveLength(2);
  const theirs = list.body.sessions.find((one) => !one.current);
  expect(theirs).toMatchObject({ userAgent: "Firefox", address: expect.stringMatching(/^10\./) });
  for (const { lastSeenAt } of list.body.sessions)
    expect(Date.parse(lastSeenAt)).toBeGreaterThanOrEqual(begun);
  expect((await as(ana)("DELETE", `/api/settings/sessions/${theirs?.id}`)).body).toEqual({ success: true });
  expect((await call({ cookie: cookieOf(other.setCookie) }, "GET", "/api/me")).status).toBe(401);
  const mine = list.body.sessions.find((one) => one.current);
  expect((await as(ana)("DELETE", `/api/settings/sessions/${mine?.id}`)).status).toBe(200);
  expect((await as(ana)("GET", "/api/me")).status).toBe(401);
});

test("an account that wants no e-mails gets none @decision 16", async () => {
  const ana = await signUp();
  await sql`insert into notification_preference (account_id, email_account_updates)
    values (${ana.me.id}, false)`.execute(db);
  await as(ana)("POST", "/api/settings/api-keys", { name: "x" });
  expect(await sentEmails(ana.me.id)).toEqual([]);
});

test("a sign-in with an unknown browser is notified; with a known one it is not", async () => {
  const browsers = knownBrowsers(Buffer.alloc(32, 3), false);
  const watched = new AccountService({ ...deps, watch: { browsers, emails } });
  const { me, browserCookie = "" } = await watched.signUp(signUpForm(), visitor());
  await confirmEmailOf(db, me.id);
  const form = { email: me.email, password: PASSWORD };
  const cookie = cookieOf(browserCookie);
  await watched.login(form, visitor({ cookie: `x=1; ${cookie}; y=2` }));
  expect(await sentEmails(me.id)).toEqual([]);

  const agent = "Mozilla/5.0 (Windows NT 10.0) http://golpe.example Chrome/140.0 Safari/537.36";
  const other = await watched.login(form, visitor({ "user-agent": agent }));
  const [received] = await sentEmails(me.id);
  expect(received?.subject).toBe("Nova entrada na sua conta");
  expect(received?.body).toMatch(/\(Chrome, Windows\), do endereço 10\./);
  expect(received?.body).not.toContain("golpe");
  await watched.login(form, visitor({ cookie: cookieOf(other.browserCookie ?? "") }));
  await watched.login(form, visitor({ cookie: "recado.browser=AAAAAAAAAAAAAAAA" }));
  expect(await sentEmails(me.id)).toHaveLength(2);

  const second = await watched.signUp(signUpForm(), visitor({ cookie }));
  const both = cookieOf(second.browserCookie ?? "");
  await watched.login(form, visitor({ cookie: both }));
  await watched.login({ email: second.me.email, password: PASSWORD }, visitor({ cookie: both }));
  expect(await sentEmails(second.me.id)).toEqual([]);
  expect(await sentEmails(me.id)).toHaveLength(2);
});
