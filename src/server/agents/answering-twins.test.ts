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

test("an answer by one connection's assistant is ignored at the number's other connection, a person's is not", async () => {
  const { account, call, chatOf, connectionId, write, writeTo, got } = await arrange();
  const twinId = await twinOf(db, account, connectionId);
  await write(ANA, "Oi");
  expect(await got()).toHaveLength(1);
  await writeTo(twinId, ANA, "Oi", await lastSent());
  await sql`update connection set state = 'disconnected' where id = ${connectionId}`.execute(db);
  await writeTo(twinId, ANA, "Tem alguém?");
  await settled();
  expect((await answersAt(twinId)).at(-1)).toBe("sent -");
  await call("POST", `/api/chats/${await chatOf(ANA)}/messages`, { text: "Aqui é a Carla" });
  await writeTo(twinId, ANA, await lastSent(), "Oi, Carla");
  await settled();
  expect(await answersAt(twinId)).toHaveLength(1);

  async function lastSent() {
    const { rows } = await sql<{ id: string; text: string }>`select message_id as id, text from outbox
      where connection_id = ${connectionId} order by outbox.id desc limit 1`.execute(db);
    return { fromMe: true, providerId: rows[0]?.id ?? "", text: rows[0]?.text ?? "" };
  }
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
