import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { startEvolution } from "../simulators/evolution/evolution.ts";
import type { Change, Topic } from "../src/contract/events.ts";
import { HOOK_SECRET_HEADER } from "../src/server/gateways/webhook-secret.ts";
import { listenHttp } from "../src/server/http/listen.ts";
import { campaignRow, connectionRow } from "./support/campaign-rows.ts";
import { composedApp } from "./support/composed-app.ts";
import { testDatabase } from "./support/database.ts";
import { holdLane } from "./support/held-lanes.ts";
import { mistralForTests } from "./support/mistral.ts";
import { makeInstance } from "./webhooks/lab.ts";

/* Open pages refetch only published topics, so each change must publish those of every screen that shows it. */

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
const server = await listenHttp(app, "127.0.0.1", 0);
afterAll(() => server.stop(1_000));

test("a change on one screen is published to all others that show it", async () => {
  const { id: account, cookie } = await signUp("ana");
  const heard = new Set<Topic>();
  services.changes.subscribe({
    accountId: account,
    onChange: ({ topic }) => heard.add(topic),
    onEnd: () => undefined,
  });
  async function expectPublished<T>(
    topics: readonly Topic[],
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> {
    heard.clear();
    const headers = { cookie, ...(body ? { "content-type": "application/json" } : {}) };
    const answer = await app.hono.request(path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    const made = (await answer.json()) as T;
    expect(answer.ok, JSON.stringify(made)).toBe(true);
    const message = `${method} ${path}`;
    await expect.poll(() => [...heard], { message }).toEqual(expect.arrayContaining([...topics]));
    return made;
  }
  const PEOPLE: Topic[] = ["contacts", "campaigns", "chats"];
  const ASSISTANTS: Topic[] = ["agents", "chats", "connections"];

  const text = { name: "Natal", text: "Boas festas" };
  const template = await expectPublished<{ id: number }>(
    ["templates"],
    "POST",
    "/api/message-templates",
    text,
  );
  await expectPublished(["templates"], "PUT", `/api/message-templates/${template.id}`, text);
  await expectPublished(["templates"], "DELETE", `/api/message-templates/${template.id}`);

  const draft = { name: "Natal", intent: "draft" };
  const { id } = await expectPublished<{ id: number }>(["campaigns"], "POST", "/api/campaigns", draft);
  await expectPublished(["campaigns"], "DELETE", `/api/campaigns/${id}`);
  const doubtful = await campaignRow(database.db, account, { people: { uncertain: 1 } });
  await expectPublished(["campaigns"], "POST", `/api/campaigns/${doubtful}/deliveries/0/ignore`);

  const contact = { name: "Bia", phone: "11987654321" };
  const added = await expectPublished<{ listId: number }>(PEOPLE, "POST", "/api/contacts", contact);
  await expectPublished(PEOPLE, "DELETE", `/api/contact-lists/${added.listId}`);
  await expectPublished(PEOPLE, "POST", "/api/contact-imports/json", {
    name: "Clientes",
    contacts: [contact],
  });

  const server = { name: "", url: gateway.url, apiKey: gateway.apiKey };
  await expectPublished(["connections"], "POST", "/api/gateways", server);

  // Another process owns its lane from the start: the test is about live updates, without WhatsApp.
  const { connectionId, deviceId } = await database.db.transaction().execute(async (tx) => {
    const id = await connectionRow(tx, account, "disconnected");
    await holdLane(tx, id);
    const held = await sql<{
      deviceId: string;
    }>`select device_id as "deviceId" from connection where id = ${id}`.execute(tx);
    return { connectionId: id, deviceId: held.rows[0]?.deviceId ?? "" };
  });
  const renamed = { deviceId, connectionName: "Matriz" };
  await expectPublished(["connections", "campaigns"], "POST", "/api/whatsapp/connect", renamed);

  const caio = { ...contact, name: "Caio" };
  const { listId } = await expectPublished<{ listId: number }>(PEOPLE, "POST", "/api/contacts", caio);
  const wall = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T10:00`;
  const schedule = { kind: "at", wall, zone: "America/Sao_Paulo" };
  const scheduled = { name: "Páscoa", text: "Oi!", intent: "create", connectionId, listId, schedule };
  const WITH_CONNECTION: Topic[] = ["campaigns", "connections"];
  const begun = await expectPublished<{ id: number }>(WITH_CONNECTION, "POST", "/api/campaigns", scheduled);
  await expectPublished(WITH_CONNECTION, "POST", `/api/campaigns/${begun.id}/cancel`);

  const agent = await expectPublished<{ id: string }>(ASSISTANTS, "POST", "/api/mistral/agents", {
    name: "Ana",
  });
  await expectPublished(ASSISTANTS, "PUT", `/api/connections/${connectionId}/assistant`, {
    agentId: agent.id,
  });
  await expectPublished(ASSISTANTS, "PATCH", `/api/mistral/agents/${agent.id}`, { name: "Bia" });

  await expectPublished([...PEOPLE, ...ASSISTANTS], "DELETE", `/api/whatsapp/devices/${deviceId}`);
});

test("a campaign ended by its gateway's last receipt is published to all screens that show sending", async () => {
  const { id: account } = await signUp("rui");
  const { instance, campaign } = await database.db.transaction().execute(async (db) => {
    const instance = await makeInstance(db, { accountId: account });
    const { connectionId } = instance;
    // Another process owns its lane, so only the receipt publishes.
    await holdLane(db, connectionId);
    const campaign = await campaignRow(db, account, {
      status: "sending",
      connectionId,
      people: { waiting: 1 },
    });
    await sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number)
      select ${connectionId}, 'LAST', campaign_id, seq, resend_number from delivery where campaign_id = ${campaign}`.execute(
      db,
    );
    return { instance, campaign };
  });
  const heard: Change[] = [];
  services.changes.subscribe({
    accountId: account,
    onChange: (change) => heard.push(change),
    onEnd: () => undefined,
  });
  const answer = await fetch(`http://127.0.0.1:${server.port}/hooks/evolution/${instance.hookId}`, {
    method: "POST",
    headers: { "content-type": "application/json", [HOOK_SECRET_HEADER]: instance.secret },
    body: JSON.stringify({
      event: "messages.update",
      instance: instance.name,
      data: {
        keyId: "LAST",
        status: "DELIVERY_ACK",
        remoteJid: "5511900000000@s.whatsapp.net",
        fromMe: true,
      },
    }),
  });
  expect(answer.status).toBe(200);
  await expect.poll(() => heard).toContainEqual({ topic: "connections", id: null });
  expect(heard).toContainEqual({ topic: "campaigns", id: campaign });
  const { rows } = await sql`select status from campaign where id = ${campaign}`.execute(database.db);
  expect(rows).toEqual([{ status: "ended" }]);
});
