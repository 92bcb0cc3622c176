import { sql } from "kysely";
import { expect, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { twinOf } from "../../../tests/support/agent-twin.ts";
import { testDatabase } from "../../../tests/support/database.ts";

const database = await testDatabase();
const { db } = database;
const { arrange, settled } = await agentLab(database);
const ANA = "5511987654321";

test("a number that is linked twice answers once, and by its other connection when the first is gone", async () => {
  const { account, connectionId, write, writeTo, got, trace } = await arrange();
  const twinId = await twinOf(db, account, connectionId);
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
  const twinId = await twinOf(db, account, connectionId);
  await call("PATCH", `/api/connections/${connectionId}/assistant`, { active: false });
  await writeTo(twinId, ANA, "Oi");
  await settled();
  expect(await answersAt(twinId)).toEqual(["sent -"]);
});

async function answersAt(connectionId: number): Promise<string[]> {
  const { rows } = await sql<{
    was: string;
  }>`select state || ' ' || coalesce(reason, '-') as was from agent_answer
    where connection_id = ${connectionId} order by id`.execute(db);
  return rows.map(({ was }) => was);
}
