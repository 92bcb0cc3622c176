import { sql } from "kysely";
import pino from "pino";
import { beforeEach, expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { systemClock } from "../base/clock.ts";
import { openDatabase } from "../db/client.ts";
import { ownerOf } from "../db/owner.ts";
import { createApp } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import { createApiKey } from "./administration.ts";
import { accountGuard } from "./limits.ts";
import { argon2idHasher, boundedHasher } from "./password.ts";
import { revokeApiKey } from "./repo.ts";
import { mountAccounts } from "./routes.ts";
import { AccountService } from "./service.ts";

const { db, database } = await testDatabase();
const lines: string[] = [];
const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
const deps = {
  database,
  clock: systemClock,
  signup: "open" as const,
  log,
  secret: "a secret that is not in the database 0123456789",
  publicUrl: null,
  terms: { version: "abc", text: "# Termos" },
  hasher: boundedHasher(argon2idHasher),
  guard: accountGuard(database),
};
const service = new AccountService(deps);
const app = createApp({ db, log, authenticate: service.authenticate, publicOrigin: null, trustedProxies: 1 });
mountAccounts(app, service);
mount(
  app,
  endpoint({ method: "GET", path: "/api/for-keys", summary: "", access: "key", answer: "stream" }),
  ({ account }) => Response.json(account),
);

beforeEach(async () => {
  lines.length = 0;
  await removeAccounts(db);
});

let host = 0;
const from = () => `10.1.${++host >> 8}.${host & 255}`;

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return app.hono.request(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", "x-forwarded-for": from(), ...headers },
  });
}

const password = "girassol no quintal";
const form = {
  name: "Ana Souza",
  email: "ana@exemplo.com",
  password,
  confirmPassword: password,
  acceptTerms: true,
  timeZone: "America/Sao_Paulo",
};
const cookieOf = (answer: Response) => (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";

test("sign-up, who am I, logout, and who am I no more @spec 1.7,2.18,3.1,3.12,4.8 @decision 1,2", async () => {
  const made = await post("/api/signup", form);
  expect(made.status).toBe(201);
  const me = await made.json();
  expect(me).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "Ana Souza",
    email: "ana@exemplo.com",
    company: "",
    confirmation: null,
    language: "pt-BR",
    timeZone: "America/Sao_Paulo",
    riskRead: false,
    stepsHidden: false,
    attachmentMb: 100,
    createdAt: expect.stringMatching(/Z$/),
  });
  expect(made.headers.getSetCookie()).toHaveLength(1);
  const cookie = cookieOf(made);
  const asked = await app.hono.request("/api/me", { headers: { cookie } });
  expect([asked.status, asked.headers.get("cache-control"), await asked.json()]).toEqual([
    200,
    "no-store",
    me,
  ]);

  const out = await post("/api/logout", undefined, { cookie });
  expect([out.status, out.headers.get("clear-site-data")]).toEqual([204, '"storage"']);
  expect(out.headers.getSetCookie()).toEqual([
    "recado.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
  ]);
  const after = await app.hono.request("/api/me", { headers: { cookie } });
  expect([after.status, await after.json()]).toEqual([
    401,
    { code: "unauthenticated", error: expect.any(String) },
  ]);
});

test("A11 passwords that differ and terms not accepted are said in the words of the specification, each under its field @spec 5.2", async () => {
  const invalid = await post("/api/signup", { ...form, confirmPassword: "outra", acceptTerms: false });
  expect([invalid.status, await invalid.json()]).toMatchObject([
    422,
    {
      code: "invalid_fields",
      fields: {
        confirmPassword: "As senhas não coincidem.",
        acceptTerms: "Aceite os termos de uso para criar a conta.",
      },
    },
  ]);
  await post("/api/signup", form);
  const taken = await post("/api/signup", form);
  expect([taken.status, await taken.json()]).toEqual([
    422,
    { code: "signup_failed", error: "Não foi possível criar a conta." },
  ]);
});

test("A16 an unknown e-mail and a wrong password get the same bytes @spec 6.3,8.1", async () => {
  await post("/api/signup", form);
  const answers = await Promise.all([
    post("/api/login", { email: form.email, password: "não é esta" }),
    post("/api/login", { email: "outra@exemplo.com", password: "não é esta" }),
  ]);
  const alike = (headers: Headers) => [...headers].filter(([header]) => header !== "x-request-id");
  const seen = await Promise.all(answers.map(async (a) => [a.status, alike(a.headers), await a.text()]));
  expect(seen[0]).toEqual(seen[1]);
  expect(seen[0]?.[0]).toBe(401);
  expect(JSON.parse(String(seen[0]?.[2]))).toEqual({
    code: "login_failed",
    error: "Falha ao fazer login. Por favor, verifique suas credenciais.",
  });
});

test("A15 the sixth wrong login from one address answers 429 with Retry-After; another address is not kept waiting", async () => {
  await post("/api/signup", form);
  const address = from();
  const login = (secret: string, forwarded: string) =>
    post("/api/login", { email: form.email, password: secret }, { "x-forwarded-for": forwarded });
  for (let attempt = 0; attempt < 5; attempt++) expect((await login("não é esta", address)).status).toBe(401);
  // Entries left of the proxy's are the caller's, not trusted.
  const sixth = await login(password, `9.9.9.9, ${address}`);
  expect(sixth.status).toBe(429);
  expect(Number(sixth.headers.get("retry-after"))).toBeLessThanOrEqual(2);
  expect((await login(password, from())).status).toBe(200);
});

test("A14 objects instead of text, unknown fields, and accountId by guessing are refused, never 500", async () => {
  const bodies = [
    { ...form, email: { $ne: null } },
    { ...form, password: ["a"] },
    { ...form, id: "6f0d2f6e-6a35-4f63-9a52-4f0f3b9c1d11" },
    { ...form, emailVerified: true },
    { ...form, termsVersion: "0" },
    { ...form, acceptTerms: "true" },
    {},
    [],
    null,
    "text",
  ];
  for (const body of bodies) expect((await post("/api/signup", body)).status).toBe(422);
  expect((await post("/api/login", { email: { $ne: null }, password: { $ne: null } })).status).toBe(422);
  expect((await sql`select id from account`.execute(db)).rows).toEqual([]);
});

test("H01 a login or logout that another site started is refused", async () => {
  const made = await post("/api/signup", form);
  const cookie = cookieOf(made);
  const origin = "https://evil.example";
  expect((await post("/api/login", { email: form.email, password }, { origin })).status).toBe(403);
  expect((await post("/api/logout", undefined, { cookie, origin })).status).toBe(403);
  expect((await app.hono.request("/api/me", { headers: { cookie } })).status).toBe(200);
});

test("A21–A24 a living key opens what is for keys; revoked and expired 401, another scope 403, in the address 400", async () => {
  const me = await (await post("/api/signup", form)).json();
  const owner = ownerOf(db, me.id);
  const { id, key } = await createApiKey(owner, { name: "loja", days: null }, systemClock);
  const past = { now: () => new Date(Date.now() - 2 * 86_400_000), monotonic: () => 0 };
  const expired = await createApiKey(owner, { name: "velha", days: 1 }, past);
  const get = (path: string, text: string) =>
    app.hono.request(path, { headers: { authorization: `Bearer ${text}` } });

  expect(await (await get("/api/for-keys", key)).json()).toEqual({
    accountId: me.id,
    via: "key",
    keyName: "loja",
    scope: "all",
  });
  expect((await get("/api/me", key)).status).toBe(403);
  expect((await get("/api/for-keys", expired.key)).status).toBe(401);
  const inAddress = await app.hono.request(`/api/for-keys?apikey=${key}`);
  expect([inAddress.status, (await inAddress.json()).code]).toEqual([400, "key_in_query"]);
  await revokeApiKey(owner, id, new Date());
  expect((await get("/api/for-keys", key)).status).toBe(401);
});

test("terms are read without an account", async () => {
  const answer = await app.hono.request("/api/terms");
  expect(await answer.json()).toEqual({ version: "abc", text: "# Termos" });
});

test("no password, cookie or stranger's e-mail reaches the log @decision 1", async () => {
  const made = await post("/api/signup", form);
  await post("/api/signup", form);
  await post("/api/login", { email: "desconhecida@exemplo.com", password: "segredo-digitado" });
  const text = lines.join("\n");
  const token = decodeURIComponent(cookieOf(made).split("=")[1] ?? "?").split(".")[0] ?? "?";
  for (const secret of [password, "segredo-digitado", "desconhecida@", form.email, token]) {
    expect(text).not.toContain(secret);
  }
  expect(text).toContain("account created");
});

test("without a database the answer is 503: neither a refusal, nor a logout, nor 500", async () => {
  const made = await post("/api/signup", form);
  const nowhere = openDatabase("postgres://recado@127.0.0.1:1/none", { log, max: 2 });
  const without = new AccountService({
    ...deps,
    database: nowhere,
    guard: accountGuard(database),
  });
  for (const accounts of [
    new AccountService({ ...deps, database: nowhere, guard: accountGuard(nowhere) }),
    without,
  ]) {
    const authenticate = accounts.authenticate;
    const other = createApp({ db: nowhere.db, log, authenticate, publicOrigin: null, trustedProxies: 0 });
    mountAccounts(other, accounts);
    const send = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      other.hono.request(path, {
        method: body === undefined ? "GET" : "POST",
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const answers = [
      await send("/api/login", { email: form.email, password }),
      await send("/api/signup", { ...form, email: "nova@exemplo.com" }),
      await send("/api/me", undefined, { cookie: cookieOf(made) }),
      await send("/api/me", undefined, { authorization: `Bearer rcd_1_${"A".repeat(43)}` }),
    ];
    for (const answer of answers)
      expect([answer.status, (await answer.json()).code]).toEqual([503, "unavailable"]);
  }
  await nowhere.close();
});
