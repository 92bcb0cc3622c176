import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import type { AuditEvent } from "../src/contract/audit.ts";
import { outwardAccess } from "../src/server/app/outward-access.ts";
import { auditService, recordForAll } from "../src/server/audit/service.ts";
import { systemClock } from "../src/server/base/clock.ts";
import { parseCommand } from "../src/server/commands/commands.ts";
import { releaseRestoreLock } from "../src/server/commands/restored-copy.ts";
import { releaseImportsOf } from "../src/server/contacts/forget.ts";
import { writeRestoreLock } from "../src/server/db/restore-lock.ts";
import { startDue } from "../src/server/sending/campaigns/campaign-clock.ts";
import { campaignRow, connectionRow, listRow } from "./support/campaign-rows.ts";
import { composedApp } from "./support/composed-app.ts";
import { testDatabase } from "./support/database.ts";
import { noEmails } from "./support/no-emails.ts";

const PASSWORD = "girassol no quintal";
const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36";
const database = await testDatabase();
const { db } = database;
const { app, signUp } = await composedApp(database, {
  RECADO_PROCESS: "web",
  DATABASE_URL: database.url,
  RECADO_URL: "https://recado.example",
});

type Call = { status: number; body: unknown };

async function call(
  headers: Record<string, string>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Call> {
  const answer = await app.hono.request(path, {
    method,
    headers: {
      "user-agent": CHROME,
      ...headers,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, body: json ? JSON.parse(text) : text };
}

async function events(cookie: string, query = ""): Promise<AuditEvent[]> {
  const { status, body } = await call({ cookie }, "GET", `/api/audit${query}`);
  expect(status).toBe(200);
  return (body as { items: AuditEvent[] }).items;
}

let name = "";
let number = 0;
beforeEach(() => {
  name = `pessoa${++number}`;
});

const entriesOf = (items: readonly AuditEvent[]) =>
  items.map(({ kind, actor, subject }) => [kind, actor, subject] as const);

test("sign-ins are recorded with address and browser; failed ones without an account", async () => {
  const { cookie } = await signUp(name);
  const email = `${name}@exemplo.com.br`;
  expect((await call({}, "POST", "/api/login", { email, password: "errada e longa" })).status).toBe(401);
  expect(
    (await call({}, "POST", "/api/login", { email: "ninguem@exemplo.com.br", password: "x" })).status,
  ).toBe(401);
  expect((await call({}, "POST", "/api/login", { email, password: PASSWORD })).status).toBe(200);
  await expect.poll(async () => (await events(cookie)).length).toBe(3);
  const items = (await events(cookie)).toSorted((a, b) => a.kind.localeCompare(b.kind));
  expect(entriesOf(items)).toEqual([
    ["account_created", "session", null],
    ["sign_in_failed", "stranger", null],
    ["signed_in", "session", null],
  ]);
  expect(items[1]).toMatchObject({ address: "127.0.0.1", browser: "Chrome, Windows", keyName: null });
});

test("changes to settings and programs carry their actor, newest first, paged and by group", async () => {
  const { id, cookie } = await signUp(name);
  const made = await call({ cookie }, "POST", "/api/settings/api-keys", { name: "Loja" });
  const { key, apiKey } = made.body as { key: string; apiKey: { id: number } };
  const list = await listRow(db, id, 3);
  await sql`update contact_list set name = 'Clientes' where id = ${list}`.execute(db);
  const connectionId = await connectionRow(db, id, "connected");
  const campaign = await campaignRow(db, id, { status: "sending", connectionId, people: { pending: 2 } });
  await sql`update campaign set name = 'Natal' where id = ${campaign}`.execute(db);
  const program = { authorization: `Bearer ${key}` };
  expect((await call({ cookie }, "POST", `/api/campaigns/${campaign}/pause`)).status).toBe(200);
  expect((await call({ cookie }, "POST", `/api/campaigns/${campaign}/cancel`)).status).toBe(200);
  const listPath = `/api/contact-lists/${list}`;
  for (const name of ["Clientes 2026", "Clientes 2026"])
    expect((await call({ cookie }, "PATCH", listPath, { name })).status).toBe(200);
  const copy = { name: "Cópia", idempotencyKey: "copia-de-clientes" };
  for (const body of [copy, copy])
    expect((await call({ cookie }, "POST", `${listPath}/duplicate`, body)).status).toBe(201);
  expect((await call({ cookie }, "DELETE", listPath)).status).toBe(200);
  expect((await call(program, "POST", "/api/opt-outs", { phone: "5511987654321" })).status).toBe(201);
  expect((await call(program, "DELETE", "/api/opt-outs/5511987654321")).status).toBe(200);
  await call({ cookie }, "DELETE", `/api/settings/api-keys/${apiKey.id}`);
  await call({ cookie }, "DELETE", `/api/settings/api-keys/${apiKey.id}`);
  await call({ cookie }, "GET", "/api/settings/export");
  const items = await events(cookie);
  expect(entriesOf(items)).toEqual([
    ["data_exported", "session", null],
    ["key_revoked", "session", "Loja"],
    ["opt_out_undone", "key", "…4321"],
    ["list_deleted", "session", "Clientes 2026"],
    ["list_duplicated", "session", "Cópia"],
    ["list_renamed", "session", "Clientes 2026"],
    ["campaign_cancelled", "session", "Natal"],
    ["campaign_paused", "session", "Natal"],
    ["key_created", "session", "Loja"],
    ["account_created", "session", null],
  ]);
  expect(items[2]).toMatchObject({ keyName: "Loja", browser: "Chrome, Windows" });
  expect(items[3]).toMatchObject({ keyName: null, details: { contacts: 3 } });
  expect(items.slice(4, 6).map(({ details }) => details)).toEqual([
    { from: "Clientes 2026" },
    { from: "Clientes" },
  ]);
  expect(items[7]).toMatchObject({ subjectId: campaign, details: { cause: "user" } });
  expect(entriesOf(await events(cookie, "?group=campaigns"))).toEqual([
    ["campaign_cancelled", "session", "Natal"],
    ["campaign_paused", "session", "Natal"],
  ]);
  const first = await call({ cookie }, "GET", "/api/audit?limit=5");
  const page = first.body as { items: AuditEvent[]; next: number };
  const rest = await events(cookie, `?limit=5&after=${page.next}`);
  expect([...page.items, ...rest]).toEqual(items);
});

test("a new password, a new e-mail and an ended session are noted, and a robot that is turned on or off", async () => {
  const { id, cookie } = await signUp(name);
  const email = `${name}@exemplo.com.br`;
  await call({}, "POST", "/api/login", { email, password: PASSWORD });
  const { body } = await call({ cookie }, "GET", "/api/settings/sessions");
  const other = (body as { sessions: { id: string; current: boolean }[] }).sessions.find(
    ({ current }) => !current,
  );
  expect((await call({ cookie }, "DELETE", `/api/settings/sessions/${other?.id}`)).status).toBe(200);
  const change = { email: `novo-${email}`, password: PASSWORD };
  expect((await call({ cookie }, "PATCH", "/api/settings/profile", change)).status).toBe(200);
  const next = "o sabiá canta cedo";
  const form = { password: PASSWORD, newPassword: next, confirmPassword: next };
  expect((await call({ cookie }, "POST", "/api/settings/password", form)).status).toBe(200);
  const connectionId = await connectionRow(db, id, "connected");
  await sql`insert into assistant_link (connection_id, account_id, agent_id, agent_name, active)
    values (${connectionId}, ${id}, 'ag:1', 'Atendente', true)`.execute(db);
  const place = `/api/connections/${connectionId}/assistant`;
  expect((await call({ cookie }, "PATCH", place, { active: false })).status).toBe(200);
  expect((await call({ cookie }, "PATCH", place, { pauseMinutes: 30 })).status).toBe(200);
  expect((await call({ cookie }, "DELETE", place)).status).toBe(200);
  expect(entriesOf(await events(cookie)).slice(0, 4)).toEqual([
    ["assistant_off", "session", "Atendente"],
    ["password_changed", "session", null],
    ["email_changed", "session", `novo-${email}`],
    ["session_ended", "session", null],
  ]);
});

test("a refused change is not recorded: change and entry are one commit", async () => {
  const { id, cookie } = await signUp(name);
  const campaign = await campaignRow(db, id, { status: "ended", people: { sent: 2 } });
  expect((await call({ cookie }, "POST", `/api/campaigns/${campaign}/pause`)).status).toBe(409);
  expect((await call({ cookie }, "DELETE", "/api/contact-lists/999999")).status).toBe(404);
  expect(entriesOf(await events(cookie))).toEqual([["account_created", "session", null]]);
});

test("H07 an account reads only its own record, and no API key reads any", async () => {
  const { cookie } = await signUp(name);
  const other = await signUp(`${name}b`);
  const [event] = await events(other.cookie);
  const mine = await events(cookie, `?after=${(event?.id ?? 0) + 1_000}`);
  expect(mine.map(({ id }) => id)).not.toContain(event?.id);
  expect(mine).toHaveLength(1);
  const { body } = await call({ cookie }, "POST", "/api/settings/api-keys", { name: "Loja" });
  const bearer = { authorization: `Bearer ${(body as { key: string }).key}` };
  expect((await call(bearer, "GET", "/api/audit")).status).toBe(403);
  expect((await call({}, "GET", "/api/audit")).status).toBe(401);
  expect((await call({ cookie }, "GET", "/api/audit?group=tudo")).status).toBe(422);
});

test("the operator's commands and what the server does by itself say so", async () => {
  const { id, cookie } = await signUp(name);
  const deps = {
    db,
    clock: systemClock,
    print: () => undefined,
    assignInstance: async () => "",
    suspension: { clock: systemClock, releaseImports: releaseImportsOf, pause: async () => undefined },
    origin: "",
    terms: () => ({ version: "v1", text: "" }),
    status: async () => [],
    hasher: { hash: async () => "x", verify: async () => true },
    emails: noEmails,
    outward: outwardAccess,
    askSecret: async () => "",
  };
  await parseCommand(["set-limit", "--email", `${name}@exemplo.com.br`, "--messages", "500"])(deps);
  const due = await campaignRow(db, id, { status: "scheduled", people: { pending: 1 } });
  await sql`update campaign set name = 'Natal', scheduled_at = now() - interval '1 minute' where id = ${due}`.execute(
    db,
  );
  await startDue(db);
  await db.transaction().execute((tx) => writeRestoreLock(tx, "2026-11-20T10:00:00Z"));
  await releaseRestoreLock(db);
  const items = await events(cookie);
  expect(entriesOf(items).slice(0, 3)).toEqual([
    ["restore_released", "operator", null],
    ["campaign_started", "system", "Natal"],
    ["limit_set", "operator", null],
  ]);
  expect(items[2]).toMatchObject({ details: { messages: 500 }, address: null, browser: null });
});

test("a year is kept, and no more", async () => {
  const { id, cookie } = await signUp(name);
  await recordForAll(db, { kind: "restore_released" });
  await sql`update audit_event set at = now() - interval '366 days' where account_id = ${id} and kind = 'account_created'`.execute(
    db,
  );
  await sql`insert into audit_event (account_id, kind, actor, at)
    select ${id}, 'signed_in', 'session', now() - interval '366 days' from generate_series(1, 6000)`.execute(
    db,
  );
  await auditService({ db, clock: systemClock }).pruneOld();
  expect(entriesOf(await events(cookie))).toEqual([["restore_released", "system", null]]);
});

test("a phone is never written down whole", async () => {
  const { id, cookie } = await signUp(name);
  const phone = "5511987654321";
  await call({ cookie }, "POST", "/api/opt-outs", { phone });
  await call({ cookie }, "DELETE", `/api/opt-outs/${phone}`);
  const [event] = await events(cookie);
  expect(event).toMatchObject({ kind: "opt_out_undone", subject: "…4321" });
  const { rows } = await sql<{ all: string }>`
    select string_agg(to_jsonb(e)::text, '') as all from audit_event e where account_id = ${id}`.execute(db);
  expect(rows[0]?.all).not.toContain(phone);
});
