import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { recommendedPlan } from "../../src/domain/number-plan.ts";
import type { Db } from "../../src/server/db/client.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { UploadFolder } from "../../src/server/files/upload-folder.ts";
import { campaignRow, imageRow, listRow } from "./campaign-rows.ts";
import { SECRET_KEY } from "./compose-app.ts";
import { leaseOf } from "./held-lanes.ts";

export type MakeOwned = (
  db: Db,
  accountId: string,
  dataFolder: string,
) => Promise<Record<string, string | number>>;

/** Rows for tests/owner-matrix.test.ts, by a path that covers longer ones; the longest key wins. */
export const OWNED_ROWS: Readonly<Record<string, MakeOwned>> = {
  "/api/campaigns/{id}": async (db, account) => ({ id: await campaignRow(db, account, { status: "draft" }) }),
  "/api/campaigns/{id}/deliveries/{seq}": async (db, account) => ({
    id: await campaignRow(db, account, { people: { uncertain: 1 } }),
    seq: 0,
  }),
  "/api/campaigns/test/{id}": async (db, account) => ({ id: await testMessage(db, account) }),
  "/api/contact-lists/{id}": async (db, account) => ({ id: await listRow(db, account) }),
  "/api/people/{id}": async (db, account) => ({ id: await personRow(db, account) }),
  "/api/people/{id}/merge": async (db, account) => {
    await otherPerson(db, account);
    return { id: await personRow(db, account) };
  },
  "/api/segments/{id}": async (db, account) => ({ id: await segmentRow(db, account) }),
  "/api/message-templates/{id}": async (db, account) => ({ id: await templateRow(db, account) }),
  "/api/contact-fields/{id}": async (db, account) => ({ id: await fieldRow(db, account) }),
  "/api/contact-import-drafts/{id}": async (db, account) => ({ id: await draftRow(db, account) }),
  "/api/contact-imports/{id}": async (db, account) => ({ id: await importRow(db, account) }),
  "/api/chats/{id}": async (db, account) => ({ id: await quietChat(db, account) }),
  "/api/chats/{id}/messages/{outboxId}": async (db, account) => {
    const id = await quietChat(db, account);
    return { id, outboxId: await failedMessage(db, id) };
  },
  "/api/chats/{id}/messages/{outboxId}/cancel": async (db, account) => {
    const id = await quietChat(db, account);
    const outboxId = await failedMessage(db, id);
    await sql`update outbox set status = 0, error = null, send_at = now() + interval '1 day' where id = ${outboxId}`.execute(
      db,
    );
    return { id, outboxId };
  },
  "/api/chats/{id}/messages/{key}": async (db, account) => sentIn(db, await quietChat(db, account)),
  "/api/chats/{id}/messages/{key}/reaction": async (db, account) => sentIn(db, await quietChat(db, account)),
  "/api/chats/{id}/messages/{key}/forward": async (db, account) => sentIn(db, await quietChat(db, account)),
  "/api/chats/{id}/messages/{messageId}": async (db, account) => {
    const id = await quietChat(db, account);
    return { id, messageId: await expiredFile(db, id) };
  },
  "/api/attachments/{id}": async (db, account) => ({ id: await imageRow(db, account) }),
  "/api/attachments/uploads/{id}": async (_, account, dataFolder) => ({
    id: (await new UploadFolder(dataFolder).partial.create(account, 2)).id,
  }),
  "/api/opt-outs/{phone}": async (db, account) => {
    await sql`insert into opt_out (account_id, phone, source) values (${account}::uuid, 5531987654321, 'manual')
      on conflict do nothing`.execute(db);
    return { phone: "5531987654321" };
  },
  "/api/opt-outs/{phone}/confirm": async (db, account) => {
    await sql`insert into opt_out (account_id, phone, source, text) values (${account}::uuid, 5531987654322, 'asked', 'Quero sair')
      on conflict do nothing`.execute(db);
    return { phone: "5531987654322" };
  },
  "/api/connections/{id}": async (db, account) => ({ id: (await quietConnection(db, account)).id }),
  "/api/connections/{id}/assistant": async (db, account) => ({ id: await linkedConnection(db, account) }),
  "/api/mistral/agents/{agentId}": async (db, account) => ({ agentId: await operatorAgent(db, account) }),
  "/api/gateways/{id}": async (db, account) => ({ id: await ownGateway(db, account) }),
  "/api/gateways/{id}/instances/{name}": usedInstance,
  "/api/settings/api-keys/{id}": async (db, account) => ({ id: await apiKey(db, account) }),
  "/api/settings/sessions/{sessionId}": async (db, account) => ({ sessionId: await session(db, account) }),
  "/api/whatsapp/status/{deviceId}": device,
  "/api/whatsapp/qr/{deviceId}": device,
  "/api/whatsapp/session/{deviceId}": device,
  "/api/whatsapp/devices/{deviceId}": device,
};

async function expiredFile(db: Db, chatId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with said as (
      insert into chat_message (chat_id, account_id, connection_id, provider_id, from_me, kind, at)
      select id, account_id, connection_id, ${randomUUID()}, false, 'image', now() from chat where id = ${chatId} returning *)
    insert into received_file (message_id, account_id, connection_id, state, kind, name, mime, at)
    select id, account_id, connection_id, 'expired', 'image', '', 'image/jpeg', now() from said returning message_id as id`.execute(
    db,
  );
  return rows[0]?.id ?? 0;
}

export const parametersOf = (path: string) =>
  Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] ?? "");

export function fixtureOf(path: string): MakeOwned | undefined {
  const keys = Object.keys(OWNED_ROWS)
    .filter((key) => path === key || path.startsWith(`${key}/`) || path.startsWith(`${key}.`))
    .filter((key) => parametersOf(key).length === parametersOf(path).length)
    .toSorted((a, b) => b.length - a.length);
  return OWNED_ROWS[keys[0] ?? ""];
}

const OTHER_PERSON = { id: 900_000_000_000_000, phone: "5531900000000" };

/** A refused body would hide whether the row was found. */
export const OWNED_BODIES: Readonly<Record<string, unknown>> = {
  "PUT /api/segments/{id}": {
    name: "Segmento de outra conta",
    rule: { match: "all", items: [{ on: "created", test: "last_days", days: 30 }] },
  },
  "PUT /api/message-templates/{id}": { name: "Modelo de outra conta", text: "Oi" },
  "POST /api/message-templates/{id}/fill": { phone: null },
  "PATCH /api/people/{id}": { name: "Pessoa de outra conta" },
  "POST /api/people/{id}/merge": {
    otherId: OTHER_PERSON.id,
    phone: OTHER_PERSON.phone,
    name: "Duas pessoas",
    fields: {},
  },
  "PATCH /api/contact-fields/{id}": { label: "Campo de outra conta" },
  "POST /api/contact-import-drafts/{id}/read": {},
  "POST /api/contact-import-drafts/{id}/start": {
    encoding: "utf-8",
    separator: ";",
    headerRow: 1,
    columns: [{ role: "phone", rank: 1 }],
    listName: "Clientes",
  },
  "PATCH /api/contact-lists/{id}": { name: "Lista de outra conta" },
  "POST /api/contact-lists/{id}/duplicate": { name: "Cópia" },
  "POST /api/opt-outs/{phone}/confirm": {},
  "POST /api/chats/{id}/messages": { text: "Olá" },
  "POST /api/chats/{id}/messages/{outboxId}/retry": {},
  "PUT /api/chats/{id}/messages/{key}/reaction": { emoji: "👍" },
  "POST /api/chats/{id}/messages/{key}/forward": { chatId: OTHER_PERSON.id },
  "POST /api/chats/{id}/read": { upTo: 0 },
  "PATCH /api/chats/{id}": { assistant: false },
  "PUT /api/connections/{id}/plan": { plan: recommendedPlan("2026-11-28") },
  "PUT /api/connections/{id}/assistant": { agentId: "ag:atendente" },
  "PATCH /api/connections/{id}/assistant": { pauseMinutes: 5 },
  "POST /api/connections/{id}/assistant/restore": { undo: "x" },
  "PATCH /api/mistral/agents/{agentId}": { name: "Vendedora" },
  "POST /api/mistral/agents/{agentId}/test": { messages: [{ role: "user", content: "Olá" }] },
  "PATCH /api/gateways/{id}": { name: "Servidor de outra pessoa" },
  "POST /api/gateways/{id}/instances": { instanceName: "loja", token: "x", number: "5511987654321" },
  "PUT /api/gateways/{id}/instances/{name}/webhook": { url: "https://exemplo.com.br/webhook" },
  "POST /api/campaigns/{id}/resume-despite": { reason: "Conferi a lista" },
  "PUT /api/campaigns/{id}": { intent: "draft", name: "Campanha de outra pessoa" },
};

export type Reference = {
  route: string;
  what: string;
  make: (db: Db, accountId: string) => Promise<string | number>;
  call: (value: string | number) => { query?: string; body?: unknown };
  missing: string | number;
};

/** Names that identify no row. `cursor`, `after` and `older` are places in the caller's own list. */
export const UNOWNED_NAMES: Readonly<Record<string, string>> = {
  "PUT /api/connections/{id}/assistant agentId": "src/server/agents/agents.test.ts",
  "PATCH /api/connections/{id}/assistant agentId": "src/server/agents/agents.test.ts",
  "POST /api/connections/{id}/assistant/restore undo": "src/server/agents/agents.test.ts",
  "GET /api/people/export ids": "src/server/contacts/fields.test.ts",
  "POST /api/people/add-to-list ids": "src/server/contacts/selections.test.ts",
  "POST /api/people/remove-from-list ids": "src/server/contacts/selections.test.ts",
  "POST /api/contact-import-drafts/{id}/start listIds": "src/server/contacts/import-drafts.test.ts",
  "POST /api/opt-outs/restore undo": "src/server/opt-outs/opt-outs.test.ts",
  "POST /api/whatsapp/connect deviceId": "src/server/agents/answering.test.ts",
};

const FORECAST = { connectionId: null, intervalS: 0, extraS: 0, startsAt: null };
const NO_ROW = 999_999_999_999_999;
const tried = (content: Record<string, unknown>) => ({
  body: { number: "11987654321", text: "Oi", ...content },
});
const EVERYONE = {
  listIds: [],
  segmentIds: [],
  without: { listIds: [], campaignIds: [], talkedHours: null, unanswered: null },
};
const audienceWith = (what: string, id: string | number) =>
  what === "campaignIds"
    ? { ...EVERYONE, without: { ...EVERYONE.without, campaignIds: [id] } }
    : { ...EVERYONE, [what]: [id] };
const rowFor = (what: string, db: Db, account: string) => {
  if (what.startsWith("list")) return listRow(db, account);
  return what.startsWith("segment") ? segmentRow(db, account) : campaignRow(db, account, { status: "draft" });
};
const inAudience = (route: string, body: Record<string, unknown>): Reference[] =>
  ["listIds", "segmentIds", "campaignIds"].map((what) => ({
    route,
    what,
    make: (db, account) => rowFor(what, db, account),
    call: (id) => ({ body: { ...body, audience: audienceWith(what, id) } }),
    missing: NO_ROW,
  }));
const inRule = (route: string, body: Record<string, unknown>): Reference[] =>
  ["listId", "campaignId"].map((what) => ({
    route,
    what,
    make: (db, account) => rowFor(what, db, account),
    call: (id) => ({ body: { ...body, rule: { match: "all", items: [conditionOn(what, id)] } } }),
    missing: NO_ROW,
  }));
const conditionOn = (what: string, id: string | number) =>
  what === "listId"
    ? { on: "list", test: "in", listId: id }
    : { on: "campaign", test: "got", campaignId: id };
const draft = (content: Record<string, unknown>) => ({ body: { intent: "draft", name: "x", ...content } });

const QUESTIONS = ["count", "names", "forecast", "number-checks", "number-checks/count"];
const partOf = (name: string) => (name === "names" ? { line: "gets" } : name === "forecast" ? FORECAST : {});

export const OWNED_REFERENCES: readonly Reference[] = [
  ...inAudience("POST /api/campaigns", { intent: "draft", name: "x" }),
  ...inAudience("PUT /api/campaigns/{id}", { intent: "draft", name: "x" }),
  ...QUESTIONS.flatMap((name) => {
    const route = `POST /api/audience/${name}`;
    const line = partOf(name);
    return [
      ...inAudience(route, { listId: null, ...line }),
      {
        route,
        what: "listId",
        make: listRow,
        call: (listId: string | number) => ({ body: { listId, audience: null, ...line } }),
        missing: NO_ROW,
      },
    ];
  }),
  ...QUESTIONS.map((name) => ({
    route: `POST /api/audience/${name}`,
    what: "connectionId",
    make: async (db: Db, account: string) => (await quietConnection(db, account)).id,
    call: (connectionId: string | number) => ({
      body: { ...partOf(name), listId: null, audience: null, connectionId },
    }),
    missing: NO_ROW,
  })),
  {
    route: "POST /api/people/remove",
    what: "ids",
    make: personRow,
    call: (id) => ({ body: { selection: { ids: [id] } } }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/people",
    what: "listIds",
    make: listRow,
    call: (id) => ({ body: { name: "Nova", phone: "31 98765-4399", listIds: [id] } }),
    missing: NO_ROW,
  },
  ...inRule("POST /api/segments", { name: "Segmento" }),
  ...inRule("POST /api/segments/count", {}),
  ...inRule("PUT /api/segments/{id}", { name: "Segmento" }),
  {
    route: "POST /api/campaigns",
    what: "listId",
    make: listRow,
    call: (listId) => draft({ listId }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/campaigns",
    what: "attachmentId",
    make: imageRow,
    call: (attachmentId) => draft({ attachmentId }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/campaigns",
    what: "connectionId",
    make: async (db, account) => (await quietConnection(db, account)).id,
    call: (connectionId) => draft({ connectionId }),
    missing: NO_ROW,
  },
  ...["POST /api/campaigns", "PUT /api/campaigns/{id}"].map((route) => ({
    route,
    what: "moreAttachmentIds",
    make: imageRow,
    call: (id: string | number) => draft({ moreAttachmentIds: [id] }),
    missing: NO_ROW,
  })),
  {
    route: "POST /api/campaigns/test",
    what: "moreAttachmentIds",
    make: imageRow,
    call: (id) => tried({ moreAttachmentIds: [id] }),
    missing: NO_ROW,
  },
  ...["listId", "attachmentId", "connectionId"].map((what) => ({
    route: "PUT /api/campaigns/{id}",
    what,
    make: async (db: Db, account: string) => {
      if (what === "connectionId") return (await quietConnection(db, account)).id;
      return what === "listId" ? listRow(db, account) : imageRow(db, account);
    },
    call: (value: string | number) => draft({ [what]: value }),
    missing: NO_ROW,
  })),
  ...["POST /api/message-templates", "PUT /api/message-templates/{id}"].map((route) => ({
    route,
    what: "attachmentId",
    make: imageRow,
    call: (attachmentId: string | number) => ({ body: { name: "Modelo", text: "Oi", attachmentId } }),
    missing: NO_ROW,
  })),
  {
    route: "POST /api/chats/{id}/messages",
    what: "attachmentId",
    make: imageRow,
    call: (attachmentId) => ({ body: { text: "Oi", attachmentId } }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/chats/{id}/messages/{key}/forward",
    what: "chatId",
    make: quietChat,
    call: (chatId) => ({ body: { chatId } }),
    missing: NO_ROW,
  },
  {
    route: "GET /api/campaigns",
    what: "campaign",
    make: (db, account) => campaignRow(db, account, { people: { sent: 1 } }),
    call: (campaign) => ({ query: `?campaign=${campaign}` }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/campaigns/test",
    what: "attachmentId",
    make: imageRow,
    call: (attachmentId) => tried({ attachmentId }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/campaigns/test",
    what: "connectionId",
    make: async (db, account) => (await quietConnection(db, account)).id,
    call: (connectionId) => tried({ connectionId }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/chats",
    what: "connectionId",
    make: async (db, account) => (await quietConnection(db, account)).id,
    call: (connectionId) => ({ body: { connectionId, phone: "5531987654321" } }),
    missing: NO_ROW,
  },
  {
    route: "GET /api/chats",
    what: "connectionId",
    make: async (db, account) => (await quietConnection(db, account)).id,
    call: (connectionId) => ({ query: `?connectionId=${connectionId}` }),
    missing: NO_ROW,
  },
  {
    route: "GET /api/dashboard",
    what: "campaign",
    make: (db, account) => campaignRow(db, account, { people: { sent: 1 } }),
    call: (campaign) => ({ query: `?campaign=${campaign}` }),
    missing: NO_ROW,
  },
  {
    route: "GET /api/contact-lists",
    what: "id",
    make: listRow,
    call: (id) => ({ query: `?id=${id}` }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/contacts",
    what: "listId",
    make: listRow,
    call: (listId) => ({ body: { name: "x", phone: "11987654321", listId } }),
    missing: NO_ROW,
  },
  ...["", "/count", "/export"].map((path) => ({
    route: `GET /api/people${path}`,
    what: "listId",
    make: listRow,
    call: (listId: string | number) => ({ query: `?listId=${listId}` }),
    missing: NO_ROW,
  })),
  ...["add-to-list", "remove-from-list"].flatMap((action) =>
    [{ ids: [1] }, null].map((selection) => ({
      route: `POST /api/people/${action}`,
      what: "listId",
      make: listRow,
      call: (listId: string | number) => ({ body: { listId, selection: selection ?? { all: { listId } } } }),
      missing: NO_ROW,
    })),
  ),
  {
    route: "POST /api/people/remove",
    what: "listId",
    make: listRow,
    call: (listId) => ({ body: { selection: { all: { listId } } } }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/people/{id}/merge",
    what: "otherId",
    make: (db, account) => personRow(db, account),
    call: (otherId) => ({ body: { otherId, phone: "5531900000000", name: "x", fields: {} } }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/whatsapp/send",
    what: "deviceId",
    make: async (db, account) => (await quietConnection(db, account)).device_id,
    call: (deviceId) => ({ body: { deviceId, number: "11987654321", message: "x" } }),
    missing: "5511900000000",
  },
  {
    route: "POST /api/whatsapp/send",
    what: "attachmentId",
    make: imageRow,
    call: (attachmentId) => ({ body: { deviceId: "5511900000000", number: "11987654321", attachmentId } }),
    missing: NO_ROW,
  },
  {
    route: "POST /api/whatsapp/connect",
    what: "userId",
    make: async (_, account) => account,
    call: (userId) => ({ body: { deviceId: "5511900000001", userId } }),
    missing: "00000000-0000-4000-8000-000000000000",
  },
];

async function apiKey(db: Db, account: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into api_key (account_id, name, prefix, hash) values (${account}::uuid, 'Loja', 'rcd_1_abcd', ${randomBytes(32)})
    returning id`.execute(db);
  return first(rows).id;
}

async function session(db: Db, account: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into session (account_id, token, expires_at)
    values (${account}::uuid, ${randomBytes(16).toString("hex")}, now() + interval '1 day') returning id`.execute(
    db,
  );
  return first(rows).id;
}

async function importRow(db: Db, account: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into contact_import (account_id, list_name, state) values (${account}::uuid, 'Clientes', 'done')
    returning id`.execute(db);
  return first(rows).id;
}

async function draftRow(db: Db, account: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into import_draft (account_id, format, encoding, sha256, spool, spool_folder, bytes)
    values (${account}::uuid, 'text', 'utf-8', '', ${randomUUID()}::uuid, ${randomUUID()}::uuid, 1) returning id`.execute(
    db,
  );
  return first(rows).id;
}

let number = 0;

async function personRow(db: Db, account: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into person (account_id, phone, name, origin)
    values (${account}::uuid, ${`55319${10_000_000 + ++number}`}::bigint, 'Ana', 'hand') returning id`.execute(
    db,
  );
  await countPerson(db, account);
  return first(rows).id;
}

async function otherPerson(db: Db, account: string): Promise<void> {
  const { rows } = await sql`insert into person (id, account_id, phone, name, origin) overriding system value
    values (${OTHER_PERSON.id}, ${account}::uuid, ${OTHER_PERSON.phone}::bigint, 'Bia', 'hand')
    on conflict do nothing returning id`.execute(db);
  if (rows.length > 0) await countPerson(db, account);
}

const countPerson = (db: Db, account: string) =>
  sql`insert into account_people values (${account}::uuid, 1)
  on conflict (account_id) do update set people = account_people.people + 1`.execute(db);

async function segmentRow(db: Db, account: string): Promise<number> {
  const rule = { match: "all", items: [{ on: "created", test: "last_days", days: 30 }] };
  const { rows } = await sql<{ id: number }>`insert into segment (account_id, name, rule)
    values (${account}::uuid, ${randomUUID()}, ${JSON.stringify(rule)}) returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

async function templateRow(db: Db, account: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into message_template (account_id, name, text)
    values (${account}::uuid, ${randomUUID()}, 'Oi') returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

async function fieldRow(db: Db, account: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into contact_field (account_id, key, label, kind, seq)
    values (${account}::uuid, ${`campo_${++number}`}, ${`Campo ${number}`}, 'text', ${number}) returning id`.execute(
    db,
  );
  return first(rows).id;
}

/** Another process owns its lane for an hour, so that nothing connects to WhatsApp. */
async function quietConnection(db: Db, account: string): Promise<{ id: number; device_id: string }> {
  const digits = `55119${String(80_000_000 + ++number)}`;
  const owner = randomUUID();
  await leaseOf(db, owner, 3_600);
  const { rows } = await sql<{ id: number; device_id: string }>`
    insert into connection (account_id, kind, device_id, name, desired, qr, qr_expires_at, owner, fence)
    values (${account}::uuid, 'device', ${digits}, 'Matriz', 'disconnected', '2@abc', now() + interval '1 hour', ${owner}::uuid, 1)
    returning id, device_id`.execute(db);
  return first(rows);
}

async function quietChat(db: Db, account: string): Promise<number> {
  const { id } = await quietConnection(db, account);
  const { rows } = await sql<{ id: number }>`
    insert into chat (account_id, connection_id, kind, phone, unread)
    values (${account}::uuid, ${id}, 'person', 5531987654321, 2) returning id`.execute(db);
  return first(rows).id;
}

async function sentIn(db: Db, id: number): Promise<{ id: number; key: string }> {
  const { rows } = await sql<{ id: number }>`
    insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, at, origin)
    select account_id, connection_id, phone, 'Olá', 'S' || id, '', 7, now(), 'chat' from chat where id = ${id}
    returning id`.execute(db);
  return { id, key: `o${first(rows).id}` };
}

async function failedMessage(db: Db, chat: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, error, origin)
    select account_id, connection_id, phone, 'Olá', 'M' || id, '', 5, 'not_on_whatsapp', 'chat' from chat where id = ${chat}
    returning id`.execute(db);
  return first(rows).id;
}

async function testMessage(db: Db, account: string): Promise<number> {
  const { id } = await quietConnection(db, account);
  const { rows } = await sql<{ id: number }>`
    insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, origin)
    values (${account}::uuid, ${id}, 5531987654321, 'Olá', ${`T${id}`}, '', 6, 'test') returning id`.execute(
    db,
  );
  return first(rows).id;
}

async function linkedConnection(db: Db, account: string): Promise<number> {
  const { id } = await quietConnection(db, account);
  await sql`insert into assistant_link (connection_id, account_id, agent_id, agent_name)
    values (${id}, ${account}::uuid, 'ag:atendente', 'Atendente')`.execute(db);
  return id;
}

async function operatorAgent(db: Db, account: string): Promise<string> {
  const agentId = `ag:${++number}`;
  await sql`insert into operator_agent (agent_id, account_id) values (${agentId}, ${account}::uuid)`.execute(
    db,
  );
  return agentId;
}

const secrets = createSecrets(SECRET_KEY);
const NOWHERE = "https://gateway.invalid";
export const HOOK_SECRET = "segredo";

async function gatewayRow(db: Db, account: string | null, url: string, withdrawn: boolean): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into gateway (account_id, name, url, api_key, key_hint, withdrawn)
    values (${account}::uuid, 'Servidor', ${url}, '', '', ${withdrawn}) returning id`.execute(db);
  const { id } = first(rows);
  await sql`update gateway set api_key = ${secrets.seal("chave", `gateway/${id}/api_key`)} where id = ${id}`.execute(
    db,
  );
  return id;
}

const ownGateway = (db: Db, account: string) => gatewayRow(db, account, `${NOWHERE}/${++number}`, false);

async function usedInstance(db: Db, account: string): Promise<Record<string, string | number>> {
  const url = `${NOWHERE}/${++number}`;
  const id = await gatewayRow(db, null, url, true);
  const connection = await quietConnection(db, account);
  await sql`update connection set kind = 'instance', device_id = ${`loja-${number}`} where id = ${connection.id}`.execute(
    db,
  );
  const secret = secrets.seal(HOOK_SECRET, `instance/${connection.id}/hook_secret`);
  await sql`
    insert into instance (connection_id, account_id, gateway_id, gateway_url, name, hook_id, hook_secret, hook_state)
    values (${connection.id}, ${account}::uuid, ${id}, ${url}, ${`loja-${number}`}, ${`gancho-${number}`}, ${secret}, 'ours')`.execute(
    db,
  );
  return { id, name: `loja-${number}` };
}

async function device(db: Db, account: string): Promise<Record<string, string>> {
  return { deviceId: (await quietConnection(db, account)).device_id };
}

function first<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error("the row was not inserted");
  return row;
}
