import { sql } from "kysely";
import { expect, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";

const database = await testDatabase();
const { db } = database;
const { arrange, settled } = await agentLab(database);
const ANA = "5511987654321";

test("a number that is linked twice answers once, and by its other connection when the first is gone", async () => {
  const { account, connectionId, write, writeTo, got, trace } = await arrange();
  const twinId = await twinOf(account, connectionId);
  const both = async (text: string) => {
    await Promise.all([write(ANA, text), writeTo(twinId, ANA, text)]);
    await settled();
  };
  await both("Oi");
  expect(await got()).toEqual(["Atendente: Oi (1)"]);
  expect(await trace()).toEqual(["sent"]);
  expect(await answersAt(twinId)).toEqual(["skipped other_connection"]);
  await sql`update connection set state = 'disconnected' where id = ${connectionId}`.execute(db);
  await writeTo(twinId, ANA, "Tem alguém?");
  await settled();
  expect(await answersAt(twinId)).toEqual(["skipped other_connection", "sent -"]);
});

test("a number that is linked twice is answered for where an assistant is on, though the first connection is there", async () => {
  const { account, call, connectionId, writeTo } = await arrange();
  const twinId = await twinOf(account, connectionId);
  await call("PATCH", `/api/connections/${connectionId}/assistant`, { active: false });
  await writeTo(twinId, ANA, "Oi");
  await settled();
  expect(await answersAt(twinId)).toEqual(["sent -"]);
});

/** The same number at a gateway, answered for by the same agent. */
async function twinOf(account: string, connectionId: number): Promise<number> {
  const name = `loja-${connectionId}`;
  const { rows } = await sql<{ id: number }>`with
    gateway as (insert into gateway (account_id, name, url, api_key, key_hint)
      values (${account}::uuid, 'Loja', 'http://127.0.0.1:1', '', '') returning id),
    twin as (insert into connection (account_id, kind, device_id, name, state)
      values (${account}::uuid, 'instance', ${name}, ${name}, 'connected') returning id),
    instance as (insert into instance (connection_id, account_id, gateway_id, gateway_url, name, phone, hook_id, hook_secret)
      select t.id, ${account}::uuid, g.id, 'http://127.0.0.1:1', ${name}, c.device_id::bigint, ${name}, ''
      from twin t, gateway g, connection c where c.id = ${connectionId}),
    link as (insert into assistant_link (connection_id, account_id, agent_id, agent_name)
      select t.id, l.account_id, l.agent_id, l.agent_name from twin t, assistant_link l where l.connection_id = ${connectionId})
    select id from twin`.execute(db);
  return rows[0]?.id ?? 0;
}

async function answersAt(connectionId: number): Promise<string[]> {
  const { rows } = await sql<{
    was: string;
  }>`select state || ' ' || coalesce(reason, '-') as was from agent_answer
    where connection_id = ${connectionId} order by id`.execute(db);
  return rows.map(({ was }) => was);
}
