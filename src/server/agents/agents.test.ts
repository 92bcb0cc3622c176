import { sql } from "kysely";
import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { agentLab, OPERATOR_KEY } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";

type Agent = Record<string, unknown> & { id: string };
type Refusal = { code: string; error: string; fields?: Record<string, string> };
type Settings = { source: string; keyHint: string | null; baseUrl: string };

const logged: string[] = [];
const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });
const database = await testDatabase();
const { db } = database;
const { mistral, arrange } = await agentLab(database, { log });
const [, ANAS_KEY = "", BIAS_KEY = ""] = mistral.keys;
const AGENTS = "/api/mistral/agents";
const SETTINGS = "/api/mistral/settings";

afterEach(() => mistral.heal());

const withKey = async (apiKey = ANAS_KEY) => {
  const person = await arrange({ linked: false });
  const saved = await person.call<Settings>("PUT", SETTINGS, { apiKey });
  expect(saved.status).toBe(200);
  return person;
};

test("an agent is made, listed, read, changed and deleted in the fields of the specification @spec 3.13,3.16,7.23,7.24,7.31,9.15 @decision 22", async () => {
  const { call } = await withKey();
  const made = await call<Agent>("POST", AGENTS, {
    name: " Atendente  da loja ",
    description: "Responde",
    instructions: "Seja\r\nbreve.",
  });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.stringMatching(/^ag/),
    name: "Atendente da loja",
    description: "Responde",
    instructions: "Seja\nbreve.",
    model: "mistral-small-latest",
    completion_args: { temperature: 0 },
    created_at: expect.stringMatching(/^\d{4}-/),
    updated_at: expect.stringMatching(/^\d{4}-/),
  });
  const one = `${AGENTS}/${made.body.id}`;
  expect((await call("GET", one)).body).toEqual(made.body);
  expect((await call("GET", AGENTS)).body).toEqual([made.body]);

  const model = (await call<{ models: { id: string }[] }>("GET", "/api/mistral/models")).body.models.find(
    ({ id }) => id !== made.body.model,
  )?.id;
  const changed = await call<Agent>("PATCH", one, { model, completion_args: { temperature: 0.7 } });
  expect(changed.body).toMatchObject({
    name: "Atendente da loja",
    model,
    completion_args: { temperature: 0.7 },
  });
  const versions = () => mistral.requests().filter(({ method }) => method === "PATCH").length;
  const before = versions();
  expect((await call("PATCH", one, {})).body).toEqual(changed.body);
  expect(versions()).toBe(before);

  expect((await call("DELETE", one)).body).toEqual({ success: true });
  expect((await call("GET", AGENTS)).body).toEqual([]);
  expect(await call("GET", one)).toMatchObject({ status: 404, body: { code: "mistral_agent_missing" } });
  expect((await call("DELETE", one)).status).toBe(404);
});

test("an agent asked for again under its key is the one that was made, also two at once; another one is refused", async () => {
  const { account, call } = await withKey();
  const before = mistral.agents(ANAS_KEY).length;
  const more = () => mistral.agents(ANAS_KEY).length - before;
  const ask = (name = "Só um") =>
    call<Agent & Partial<Refusal>>("POST", AGENTS, { name, idempotencyKey: "press-1" });
  mistral.fail({ kind: "server_error" }, { times: 1 });
  expect([(await ask()).status, more()]).toEqual([502, 0]);
  const both = await Promise.all([ask(), ask()]);
  const [made] = both.filter(({ status }) => status === 201);
  for (const { body } of both) expect([made?.body.id, "idempotency_running"]).toContain(body.code ?? body.id);
  expect([(await ask()).body, more()]).toEqual([made?.body, 1]);
  expect(await ask("Outro")).toMatchObject({ status: 409, body: { code: "idempotency_mismatch" } });

  const making = (seconds: number) =>
    sql`update idempotency_key set made = null, at = now() - ${seconds} * interval '1 second'
      where account_id = ${account}::uuid`.execute(db);
  await making(30);
  expect(await ask()).toMatchObject({ status: 409, body: { code: "idempotency_running" } });
  await making(61);
  expect([(await ask()).status, more()]).toEqual([201, 2]);
});

test("every page of agents is listed @decision 23", async () => {
  const { call } = await withKey(BIAS_KEY);
  for (let i = 0; i < 55; i++) {
    if (i % 25 === 0) await sql`delete from rate_limit where key like 'agent-change:%'`.execute(db);
    await call("POST", AGENTS, { name: `Robô ${i}` });
  }
  expect((await call<Agent[]>("GET", AGENTS)).body).toHaveLength(55);
});

test.each([
  ["T15 no name", { name: "" }, { name: "Preencha este campo." }],
  ["T15 a blank name", { name: " \u200b" }, { name: "Preencha este campo." }],
  ["T15 no name at all", {}, { name: "Preencha este campo." }],
  ["T15 a name of 201", { name: "á".repeat(201) }, { name: "Use no máximo 200 caracteres." }],
  ["T15 a name of 10,000", { name: "a".repeat(10_000) }, { name: "Use no máximo 200 caracteres." }],
  ["T15 half a character", { name: "a\ud800" }, { name: "O texto contém caracteres inválidos." }],
  ["T15 a name that is no text", { name: 7 }, { name: "Valor de tipo errado." }],
  [
    "T15 a long description",
    { name: "x", description: "d".repeat(1_001) },
    { description: "Use no máximo 1.000 caracteres." },
  ],
  [
    "T16 instructions of 100,001",
    { name: "x", instructions: "i".repeat(100_001) },
    { instructions: "Use no máximo 100.000 caracteres." },
  ],
  [
    "T16 a null byte",
    { name: "x", instructions: "a\0b" },
    { instructions: "O texto contém caracteres inválidos." },
  ],
  [
    "T17 temperature 3",
    { name: "x", completion_args: { temperature: 3 } },
    { "completion_args.temperature": "O valor máximo é 1,5." },
  ],
  [
    "T17 temperature -1",
    { name: "x", completion_args: { temperature: -1 } },
    { "completion_args.temperature": "O valor mínimo é 0." },
  ],
  [
    "T17 temperature NaN",
    { name: "x", completion_args: { temperature: Number.NaN } },
    { "completion_args.temperature": "Valor de tipo errado." },
  ],
  [
    "T17 no temperature",
    { name: "x", completion_args: {} },
    { "completion_args.temperature": "Preencha este campo." },
  ],
  ["T18 an unknown model", { name: "x", model: "gpt-4" }, { model: "Escolha uma das opções." }],
  ["T18 no model", { name: "x", model: " " }, { model: "Preencha este campo." }],
  ["T18 a field too many", { name: "x", account_id: "1" }, { account_id: "Campo desconhecido." }],
])("%s is refused in words, and nothing is made", async (_, body, fields) => {
  const { call } = await withKey();
  const before = mistral.agents(ANAS_KEY).length;
  const refused = await call<Refusal>("POST", AGENTS, body);
  expect([refused.status, refused.body.code, refused.body.fields]).toEqual([422, "invalid_fields", fields]);
  expect(mistral.agents(ANAS_KEY)).toHaveLength(before);
});

test("T15–T17 at their limits they are taken", async () => {
  const { call } = await withKey();
  for (const body of [
    { name: "🐝".repeat(200) },
    { name: "x", description: "d".repeat(1_000), instructions: "i".repeat(100_000) },
    { name: "x", completion_args: { temperature: 1.5 } },
    { name: "<script>alert(1)</script> {{nome}} '; drop table account; --" },
  ])
    expect((await call("POST", AGENTS, body)).status).toBe(201);
});

test("with the operator's key an account has the agents that it made, and no other @spec 5.15 @decision 23", async () => {
  const ana = await arrange({ linked: false });
  const bia = await arrange({ linked: false });
  expect((await ana.call<Settings>("GET", SETTINGS)).body).toEqual({
    source: "operator",
    operatorClosed: false,
    keyHint: null,
    baseUrl: mistral.url,
    defaultUrl: mistral.url,
  });
  const made = await ana.call<Agent>("POST", AGENTS, { name: "Da Ana" });
  expect(mistral.agents(OPERATOR_KEY).map(({ id }) => id)).toContain(made.body.id);
  expect((await ana.call<Agent[]>("GET", AGENTS)).body).toEqual([made.body]);
  expect((await bia.call("GET", AGENTS)).body).toEqual([]);

  const one = `${AGENTS}/${made.body.id}`;
  const messages = [{ role: "user", content: "Oi" }];
  const missing = await bia.call("GET", `${AGENTS}/ag:none`);
  for (const [method, path, body] of [
    ["GET", one],
    ["PATCH", one, { name: "Minha" }],
    ["DELETE", one],
    ["POST", `${one}/test`, { messages }],
  ] as const)
    expect(await bia.call(method, path, body)).toMatchObject({ status: 404, body: missing.body as object });
  const link = `/api/connections/${bia.connectionId}/assistant`;
  expect(await bia.call("PUT", link, { agentId: made.body.id })).toMatchObject({ status: 404 });
  expect((await ana.call("GET", one)).body).toEqual(made.body);
});

test("an own key opens all of its agents, takes the place of the operator's, and is forgotten again @decision 23", async () => {
  const { call } = await arrange({ linked: false });
  const saved = await call<Settings>("PUT", SETTINGS, {
    apiKey: `  ${ANAS_KEY}\n`,
    baseUrl: `${mistral.url}/v1/`,
  });
  expect(saved.body).toEqual({
    source: "account",
    operatorClosed: false,
    keyHint: ANAS_KEY.slice(-4),
    baseUrl: `${mistral.url}/v1/`,
    defaultUrl: mistral.url,
  });
  const other = await withKey();
  const theirs = await other.call<Agent>("POST", AGENTS, { name: "Do mesmo espaço" });
  expect((await call<Agent[]>("GET", AGENTS)).body).toContainEqual(theirs.body);
  expect((await call<Settings>("DELETE", SETTINGS)).body.source).toBe("operator");
  expect((await call("GET", AGENTS)).body).toEqual([]);
});

test.each([
  ["a wrong key", { apiKey: "no-such-key-0000" }, 422, "mistral_wrong_key"],
  ["no key", { apiKey: " " }, 422, "invalid_fields"],
  ["a key that no header carries", { apiKey: "chave com espaço" }, 422, "mistral_wrong_key"],
  ["no address at all", { apiKey: ANAS_KEY, baseUrl: "mistral" }, 422, "url_forbidden"],
  ["another scheme", { apiKey: ANAS_KEY, baseUrl: "file:///etc/passwd" }, 422, "url_forbidden"],
  ["an inner address", { apiKey: ANAS_KEY, baseUrl: "https://127.0.0.1" }, 422, "url_private"],
  ["a field too many", { apiKey: ANAS_KEY, source: "operator" }, 422, "invalid_fields"],
])("%s is not stored", async (_, body, status, code) => {
  const { call, account } = await arrange({ linked: false });
  const refused = await call<Refusal>("PUT", SETTINGS, body);
  expect([refused.status, refused.body.code]).toEqual([status, code]);
  const stored = await sql`select 1 from mistral_setting where account_id = ${account}::uuid`.execute(db);
  expect(stored.rows).toEqual([]);
});

test("each error of Mistral has its own words @spec 7.23", async () => {
  const { call } = await withKey();
  const seen = async () => {
    const { status, body } = await call<Refusal>("GET", AGENTS);
    return [status, body.code, body.error];
  };
  mistral.fail({ kind: "rate_limited", retryAfter: "7" }, { times: 1 });
  expect(await seen()).toEqual([
    503,
    "mistral_rate_limited",
    "O Mistral está limitando as requisições desta chave. Aguarde 7 s e tente novamente.",
  ]);
  mistral.fail({ kind: "server_error" }, { times: 1 });
  expect((await seen()).slice(0, 2)).toEqual([502, "mistral_down"]);
  mistral.fail({ kind: "html" }, { times: 1 });
  expect((await seen()).slice(0, 2)).toEqual([502, "mistral_garbage"]);
  expect((await seen())[0]).toBe(200);
});

test("«Conversa de teste» answers with the conversation and sends no message", async () => {
  const { call, outbox } = await withKey();
  const { body } = await call<Agent>("POST", AGENTS, { name: "Atendente" });
  const ask = (messages: unknown) =>
    call<{ text: string }>("POST", `${AGENTS}/${body.id}/test`, { messages });
  const user = { role: "user", content: "Oi" };
  expect(await ask([user, { role: "assistant", content: "Olá" }, user])).toMatchObject({
    status: 200,
    body: { text: "Atendente: Oi (3)" },
  });
  for (const messages of [
    [],
    [{ role: "assistant", content: "Olá" }],
    [{ role: "system", content: "x" }],
    "Oi",
  ])
    expect((await ask(messages)).status).toBe(422);
  mistral.answers(() => ({ content: [], finishReason: "tool_calls" }));
  expect(await ask([user])).toMatchObject({ status: 502, body: { code: "mistral_no_answer" } });
  mistral.answers(() => `## Oi\n**Tudo**: ${"bla ".repeat(1_200)}e muito mais.`);
  expect((await ask([user])).body.text).toMatch(/^\*Oi\*\n\*Tudo\*: (?:bla )+bla…$/);
  mistral.answers(({ agentName }) => agentName);
  expect(await outbox()).toEqual([]);
});

test("one agent is linked to a connection, activated, deactivated, exchanged and unlinked @spec 3.5,4.10,7.14,7.15", async () => {
  const { call, connectionId } = await withKey();
  const make = async (name: string) => (await call<Agent>("POST", AGENTS, { name })).body.id;
  const [first, second] = [await make("Primeiro"), await make("Segundo")];
  const path = `/api/connections/${connectionId}/assistant`;
  const links = async () => (await call<{ links: unknown[] }>("GET", "/api/assistants")).body.links;
  const link = (changes: object) => ({
    connectionId,
    agentId: first,
    agentName: "Primeiro",
    active: true,
    pauseMinutes: 60,
    ...changes,
  });
  expect((await call("PATCH", path, { active: true })).status).toBe(404);
  expect((await call("PUT", path, { agentId: first })).body).toEqual(link({}));
  expect((await call("PATCH", path, { agentId: first, active: false })).body).toEqual(
    link({ active: false }),
  );
  expect((await call("PATCH", path, { active: true, pauseMinutes: 5 })).body).toEqual(
    link({ pauseMinutes: 5 }),
  );
  for (const pauseMinutes of [-1, 10_081, 1.5, "5"])
    expect((await call("PATCH", path, { pauseMinutes })).status).toBe(422);
  await call("PATCH", path, { active: false });
  expect((await call("PUT", path, { agentId: second })).body).toEqual(
    link({ agentId: second, agentName: "Segundo", pauseMinutes: 5 }),
  );
  expect(await call("PATCH", path, { agentId: first, active: false })).toMatchObject({
    status: 409,
    body: { code: "assistant_changed" },
  });
  await call("PATCH", `${AGENTS}/${second}`, { name: "Segunda" });
  expect(await links()).toEqual([link({ agentId: second, agentName: "Segunda", pauseMinutes: 5 })]);
  expect((await call("PUT", path, { agentId: "ag:none" })).status).toBe(404);
  expect((await call("DELETE", path)).body).toMatchObject({ success: true });
  expect([(await call("DELETE", path)).status, await links()]).toEqual([404, []]);
});

test("an unlinking is taken back: the same link with its date and its pause, unless another has come", async () => {
  const { call, connectionId, agentId } = await arrange();
  const path = `/api/connections/${connectionId}/assistant`;
  const rows = async () =>
    (
      await sql<{ row: string }>`select l::text as row from assistant_link l
        where connection_id = ${connectionId}`.execute(db)
    ).rows;
  await call("PATCH", path, { active: false, pauseMinutes: 7 });
  const before = await rows();
  const { undo } = (await call<{ undo: string }>("DELETE", path)).body;
  expect(await rows()).toEqual([]);
  expect(await call("POST", `${path}/restore`, { undo: "x" })).toMatchObject({
    status: 409,
    body: { code: "undo_too_late" },
  });
  expect(await call("POST", `${path}/restore`, { undo })).toMatchObject({
    status: 200,
    body: { agentId, active: false, pauseMinutes: 7 },
  });
  expect(await rows()).toEqual(before);
  expect((await call("POST", `${path}/restore`, { undo })).status).toBe(409);
  const elsewhere = await arrange();
  const other = `/api/connections/${elsewhere.connectionId}/assistant`;
  expect((await elsewhere.call("POST", `${other}/restore`, { undo })).status).toBe(409);
});

test("after an agent is deleted, its connection is not answered and cannot be activated", async () => {
  const { call, connectionId, agentId } = await arrange();
  const path = `/api/connections/${connectionId}/assistant`;
  await call("DELETE", `${AGENTS}/${agentId}`);
  expect((await call<{ links: unknown[] }>("GET", "/api/assistants")).body.links).toMatchObject([
    { active: false },
  ]);
  expect(await call("PATCH", path, { active: true })).toMatchObject({
    status: 404,
    body: { code: "mistral_agent_missing" },
  });
});

test("a deleted agent is noted as turned off wherever it answered", async () => {
  const { account, call, connectionId, agentId } = await arrange();
  await call("DELETE", `${AGENTS}/${agentId}`);
  expect((await call("DELETE", `/api/connections/${connectionId}/assistant`)).status).toBe(200);
  const { rows } = await sql`select kind, subject from audit_event where account_id = ${account}::uuid
    and kind like 'assistant_%' order by id`.execute(db);
  expect(rows).toEqual([
    { kind: "assistant_on", subject: "Atendente" },
    { kind: "assistant_off", subject: "Atendente" },
  ]);
});

test("an unlinking cannot be undone once the agent is gone", async () => {
  const { call, connectionId, agentId } = await arrange();
  const path = `/api/connections/${connectionId}/assistant`;
  const { undo } = (await call<{ undo: string }>("DELETE", path)).body;
  await call("DELETE", `${AGENTS}/${agentId}`);
  expect(await call("POST", `${path}/restore`, { undo })).toMatchObject({
    status: 404,
    body: { code: "mistral_agent_missing" },
  });
  expect((await call<{ links: unknown[] }>("GET", "/api/assistants")).body.links).toEqual([]);
});

test("an unlinking that is taken back names the agent as it is called now", async () => {
  const { call, connectionId, agentId } = await arrange();
  const path = `/api/connections/${connectionId}/assistant`;
  const { undo } = (await call<{ undo: string }>("DELETE", path)).body;
  await call("PATCH", `${AGENTS}/${agentId}`, { name: "Recepção" });
  expect((await call("POST", `${path}/restore`, { undo })).body).toMatchObject({ agentName: "Recepção" });
});

test("without any key every screen says that there is none", async () => {
  const lab = await agentLab(database, { operatorKey: null });
  const { call } = await lab.arrange({ linked: false });
  expect((await call<Settings>("GET", SETTINGS)).body.source).toBe("none");
  for (const path of [AGENTS, `${AGENTS}/ag:1`, "/api/mistral/models"])
    expect(await call("GET", path)).toMatchObject({ status: 422, body: { code: "mistral_no_key" } });
});

test("no key is in any answer, any log line or any row as it was typed @decision 3", async () => {
  const { call } = await withKey();
  const answers = [await call("GET", SETTINGS), await call("GET", AGENTS)];
  mistral.fail({ kind: "refuse", status: 400, body: `bad key ${ANAS_KEY}` }, { times: 1 });
  answers.push(await call("GET", AGENTS));
  const rows = await sql<{ row: string }>`select t::text as row from mistral_setting t`.execute(db);
  expect(rows.rows.length).toBeGreaterThan(0);
  const hex = Buffer.from(ANAS_KEY).toString("hex");
  const everything = [
    JSON.stringify(answers.map(({ body }) => body)),
    ...logged,
    ...rows.rows.map(({ row }) => row),
  ].join("\n");
  for (const secret of [...mistral.keys, hex]) expect(everything).not.toContain(secret);
});
