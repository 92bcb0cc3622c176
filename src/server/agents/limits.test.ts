import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { openServices } from "../../../tests/support/open-services.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { setLimit } from "../db/account-limits.ts";
import { setServiceOpen } from "../db/operator-services.ts";
import { ownerOf } from "../db/owner.ts";

const database = await testDatabase();
const { db } = database;
const { mistral, arrange } = await agentLab(database);
const AGENTS = "/api/mistral/agents";
const phone = (nth: number) => String(5511987650000 + nth);

test("27.6 after the daily limit chats are left to people with the reason, until the next day", async () => {
  const { account, write, got, trace, outbox, call, agentId, chatOf } = await arrange();
  await setLimit(db, account, "agent_calls_a_day", 2);
  const asked = mistral.completions().length;
  for (const nth of [1, 2, 3]) {
    await write(phone(nth), "Oi");
    await got();
  }
  expect(mistral.completions().length - asked).toBe(2);
  expect(await trace()).toEqual(["sent", "sent", "skipped day_limit"]);
  expect(await outbox()).toHaveLength(2);
  const test = () =>
    call<ErrorAnswer>("POST", `${AGENTS}/${agentId}/test`, { messages: [{ role: "user", content: "Oi" }] });
  expect((await test()).body).toMatchObject({
    code: "limit_reached",
    error:
      "Limite da conta atingido: 2 respostas de robôs por dia. Fale com quem administra esta instalação.",
    details: { limit: "agent_calls_a_day", most: 2, used: 2 },
  });
  const left = await sql`select unread from chat where id = ${await chatOf(phone(3))}`.execute(db);
  expect(left.rows).toEqual([{ unread: 1 }]);
  await sql`update agent_calls set day = day - 1 where account_id = ${account}::uuid`.execute(db);
  expect((await test()).status).toBe(200);
  const { rows } = await sql`select calls from agent_calls where account_id = ${account}::uuid`.execute(db);
  expect(rows).toEqual([{ calls: 1 }]);
});

test("27.6 agents in the operator's workspace: five at once end at the limit, and none too many is made at Mistral", async () => {
  const { account, call } = await arrange({ linked: false });
  await setLimit(db, account, "operator_agents", 2);
  const create = (nth: number) => call<ErrorAnswer>("POST", AGENTS, { name: `Robô ${nth}` });
  const made = await Promise.all([1, 2, 3, 4, 5].map(create));
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
  expect(made.find(({ status }) => status === 409)?.body).toMatchObject({
    details: { limit: "operator_agents", most: 2, used: 2 },
  });
  expect((await call<unknown[]>("GET", AGENTS)).body).toHaveLength(2);
});

test("27.6 the test conversation and changes of agents are held to what a person can do in a minute", async () => {
  const { call, agentId } = await arrange();
  const asked = mistral.completions().length;
  const test = () =>
    call("POST", `${AGENTS}/${agentId}/test`, { messages: [{ role: "user", content: "Oi" }] });
  const tests = await Promise.all(Array.from({ length: 30 }, test));
  expect(tests.filter(({ status }) => status === 429)).toHaveLength(10);
  expect(mistral.completions().length - asked).toBe(20);
  const change = () => call("PATCH", `${AGENTS}/${agentId}`, { description: "Outra" });
  const changes = await Promise.all(Array.from({ length: 40 }, change));
  expect(changes.filter(({ status }) => status === 200)).toHaveLength(29);
});

test("27.6 the operator's Mistral key serves the accounts it is open to; to others the settings say that there is one", async () => {
  await openServices(db, { mistral: "named" });
  onTestFinished(() => openServices(db));
  const { account, call } = await arrange({ linked: false });
  const settings = async () =>
    (await call<{ source: string; operatorClosed: boolean }>("GET", "/api/mistral/settings")).body;
  expect(await settings()).toMatchObject({ source: "none", operatorClosed: true });
  const create = () => call<ErrorAnswer>("POST", AGENTS, { name: "Atendente" });
  expect((await create()).body.code).toBe("mistral_no_key");
  await setServiceOpen(ownerOf(db, account), "mistral", true);
  expect(await settings()).toMatchObject({ source: "operator", operatorClosed: false });
  expect((await create()).status).toBe(201);
});

test("27.6 an agent linked before the key was closed does not answer, and the trace says why", async () => {
  const { write, got, trace } = await arrange();
  await openServices(db, { mistral: "named" });
  onTestFinished(() => openServices(db));
  const asked = mistral.completions().length;
  await write(phone(9), "Oi");
  expect(await got()).toEqual([]);
  expect(await trace()).toEqual(["failed no_key"]);
  expect(mistral.completions()).toHaveLength(asked);
});
