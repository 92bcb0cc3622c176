import { sql } from "kysely";
import { afterAll, expect, test, vi } from "vitest";
import type { Topic } from "../src/contract/events.ts";
import { startEvolution } from "../src/simulator/evolution/evolution.ts";
import { connectionRow } from "./support/campaign-rows.ts";
import { composedApp } from "./support/composed-app.ts";
import { testDatabase } from "./support/database.ts";
import { HELD_FOR, OTHER_OWNER } from "./support/held-lanes.ts";
import { mistralForTests } from "./support/mistral.ts";

/* A page that stays open asks again only for topics it is told of: each change must name those of every screen that shows it. */

const database = await testDatabase();
const gateway = await startEvolution();
afterAll(() => gateway.close());
const mistral = await mistralForTests();
const hosts = `127.0.0.1,${mistral.RECADO_PRIVATE_HOSTS}`;
const { app, services, signUp } = await composedApp(
  database,
  { ...mistral, RECADO_PRIVATE_HOSTS: hosts, RECADO_TIME_SCALE: "0.01" },
  { answerMs: 0, ownerMs: 0, testMs: 0 },
);

test("what is changed on one screen is told to all others that show it", async () => {
  const { id: account, cookie } = await signUp("ana");
  const mark = vi.spyOn(services.changes, "mark");
  async function told<T>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ made: T; topics: Topic[] }> {
    mark.mockClear();
    const headers = { cookie, ...(body ? { "content-type": "application/json" } : {}) };
    const answer = await app.hono.request(path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    const made = (await answer.json()) as T;
    expect(answer.ok, JSON.stringify(made)).toBe(true);
    return { made, topics: mark.mock.calls.flatMap(([whose, topic]) => (whose === account ? [topic] : [])) };
  }
  const PEOPLE: Topic[] = ["contacts", "campaigns", "chats"];
  const ASSISTANTS: Topic[] = ["agents", "chats", "connections"];

  const contact = { name: "Bia", phone: "11987654321" };
  const added = await told<{ listId: number }>("POST", "/api/contacts", contact);
  expect(added.topics).toEqual(expect.arrayContaining(PEOPLE));
  const deleted = await told("DELETE", `/api/contact-lists/${added.made.listId}`);
  expect(deleted.topics).toEqual(expect.arrayContaining(PEOPLE));
  await told("POST", "/api/contact-imports/json", { name: "Clientes", contacts: [contact] });
  await vi.waitFor(() => {
    const topics = mark.mock.calls.map(([, topic]) => topic);
    expect(topics).toEqual(expect.arrayContaining(PEOPLE));
  }, 30_000);

  const server = { name: "", url: gateway.url, apiKey: gateway.apiKey };
  expect((await told("POST", "/api/gateways", server)).topics).toContain("connections");

  const connectionId = await connectionRow(database.db, account, "disconnected");
  // Another process has its lane: this test is about what is told, and WhatsApp is not asked.
  const held = await sql<{ deviceId: string }>`update connection
    set owner = ${OTHER_OWNER}, lease_until = ${HELD_FOR} where id = ${connectionId}
    returning device_id as "deviceId"`.execute(database.db);
  const deviceId = held.rows[0]?.deviceId ?? "";
  const renamed = await told("POST", "/api/whatsapp/connect", { deviceId, connectionName: "Matriz" });
  expect(renamed.topics).toEqual(expect.arrayContaining(["connections", "campaigns"]));

  const agent = await told<{ id: string }>("POST", "/api/mistral/agents", { name: "Ana" });
  const linked = await told("PUT", `/api/connections/${connectionId}/assistant`, { agentId: agent.made.id });
  expect(linked.topics).toEqual(expect.arrayContaining(ASSISTANTS));
  const named = await told("PATCH", `/api/mistral/agents/${agent.made.id}`, { name: "Bia" });
  expect(named.topics).toEqual(expect.arrayContaining(ASSISTANTS));

  const gone = await told("DELETE", `/api/whatsapp/devices/${deviceId}`);
  expect(gone.topics).toEqual(expect.arrayContaining([...PEOPLE, ...ASSISTANTS]));
}, 60_000);
