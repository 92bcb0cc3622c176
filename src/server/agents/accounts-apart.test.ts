import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";

const database = await testDatabase();
const { db } = database;
const { mistral, arrange, published } = await agentLab(database);
const [, ANAS_KEY = ""] = mistral.keys;
const AGENTS = "/api/mistral/agents";
const SETTINGS = "/api/mistral/settings";

afterEach(() => mistral.heal());

type Link = { agentName: string; active: boolean };

async function withKey(apiKey: string) {
  const person = await arrange({ linked: false });
  expect((await person.call("PUT", SETTINGS, { apiKey })).status).toBe(200);
  const links = async () => (await person.call<{ links: Link[] }>("GET", "/api/assistants")).body.links;
  const link = (agentId: string) =>
    person.call("PUT", `/api/connections/${person.connectionId}/assistant`, { agentId });
  return { ...person, links, link };
}

test("of two accounts that share a workspace one changes and deletes an agent: what is linked at the other's stays its own", async () => {
  const [ana, bia] = [await withKey(ANAS_KEY), await withKey(ANAS_KEY)];
  const { id } = (await ana.call<{ id: string }>("POST", AGENTS, { name: "Atendente" })).body;
  for (const one of [ana, bia]) expect((await one.link(id)).status).toBe(200);
  await ana.call("PATCH", `${AGENTS}/${id}`, { name: "Recepção" });
  expect(await ana.links()).toMatchObject([{ agentName: "Recepção", active: true }]);
  expect(await bia.links()).toMatchObject([{ agentName: "Atendente", active: true }]);
  expect((await ana.call("DELETE", `${AGENTS}/${id}`)).status).toBe(200);
  expect(await ana.links()).toMatchObject([{ active: false }]);
  expect(await bia.links()).toMatchObject([{ active: true }]);
  expect(await bia.call("DELETE", `${AGENTS}/${id}`)).toMatchObject({
    status: 404,
    body: { code: "mistral_agent_missing" },
  });
  expect(await bia.links()).toMatchObject([{ active: false }]);
});

test("an agent that is still there, under another key, is not said to be gone", async () => {
  const ana = await withKey(ANAS_KEY);
  const { body } = await ana.call<{ id: string }>("POST", AGENTS, { name: "Atendente" });
  const path = `/api/connections/${ana.connectionId}/assistant`;
  await ana.call("PUT", path, { agentId: body.id });
  await ana.call("PATCH", path, { active: false });
  await ana.call("DELETE", "/api/mistral/settings");
  const refused = await ana.call<{ code: string; error: string }>("PATCH", path, { active: true });
  expect(refused.body.code).toBe("mistral_agent_missing");
  expect(refused.body.error).toContain("ou é de outra chave");
});

test("a key that is copied into another account's row opens nothing there", async () => {
  const [ana, bia] = [await withKey(ANAS_KEY), await arrange({ linked: false })];
  await sql`insert into mistral_setting (account_id, api_key, key_hint, base_url)
    select ${bia.account}::uuid, api_key, key_hint, base_url from mistral_setting where account_id = ${ana.account}::uuid`.execute(
    db,
  );
  const before = mistral.requests().length;
  expect((await bia.call("GET", AGENTS)).status).toBe(500);
  expect(mistral.requests()).toHaveLength(before);
});

test("the operator's key rests for the account that met its errors, and for no other", async () => {
  const [ana, bia] = [await arrange({ linked: false }), await arrange({ linked: false })];
  mistral.fail({ kind: "server_error", status: 503 });
  for (let error = 0; error < 5; error++)
    expect((await ana.call<{ code: string }>("GET", AGENTS)).body.code).toBe("mistral_down");
  mistral.heal();
  expect((await ana.call<{ code: string }>("GET", AGENTS)).body.code).toBe("mistral_down");
  expect((await bia.call("GET", AGENTS)).status).toBe(200);
});

test("what is not found where no agent was asked for says nothing of agents", async () => {
  const ana = await withKey(ANAS_KEY);
  mistral.fail({ kind: "refuse", status: 404, body: { detail: "Not Found" } });
  expect((await ana.call<{ code: string }>("GET", "/api/mistral/models")).body.code).toBe("mistral_refused");
});

test("every tab of the account hears that its key was kept, and that it was forgotten", async () => {
  const ana = await withKey(ANAS_KEY);
  expect([...published]).toContain(`${ana.account} agents`);
  published.clear();
  expect((await ana.call("DELETE", SETTINGS)).status).toBe(200);
  expect([...published]).toEqual([`${ana.account} agents`]);
});

test("the account's activity says that a key was saved, to which host conversations go with it, and that it was removed", async () => {
  const ana = await arrange({ linked: false });
  await ana.call("PUT", SETTINGS, { apiKey: ANAS_KEY });
  await ana.call("PUT", SETTINGS, { apiKey: ANAS_KEY, baseUrl: mistral.url });
  await ana.call("PUT", SETTINGS, { apiKey: "recusada" });
  await ana.call("DELETE", SETTINGS);
  await ana.call("DELETE", SETTINGS);
  const { rows } = await sql`
    select kind, details from audit_event where account_id = ${ana.account} order by id`.execute(db);
  expect(rows).toEqual([
    { kind: "mistral_set", details: null },
    { kind: "mistral_set", details: { host: new URL(mistral.url).host } },
    { kind: "mistral_removed", details: null },
  ]);
});
