import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { makeInstance } from "../../../tests/webhooks/lab.ts";
import { noteKeeping } from "./keeps-messages.ts";

const { db } = await testDatabase();

async function instanceThatSent(id: string | null, known: readonly string[]) {
  const made = await makeInstance(db);
  const { accountId, connectionId, name } = made;
  if (id !== null) {
    const { rows } = await sql<{
      id: number;
    }>`insert into outbox (account_id, connection_id, phone, text, status, message_id, body_hash)
      values (${accountId}::uuid, ${connectionId}, 5511900000001, 'Oi', 3, ${`ours-${id}`}, '') returning id`.execute(
      db,
    );
    await sql`insert into provider_message (connection_id, provider_id, outbox_id, created_at)
      values (${connectionId}, ${id}, ${rows[0]?.id}, now() - interval '2 minutes')`.execute(db);
  }
  const client = {
    findMessages: async (_name: string, { id: asked }: { id?: string }) => {
      const messages = known
        .filter((one) => one === asked)
        .map((providerId) => ({ providerId, message: null, statuses: [] }));
      return { total: messages.length, pages: 1, messages };
    },
  };
  const note = (found: number) => noteKeeping(db, { connectionId, name, found, client });
  const keeps = async () => {
    const { rows } = await sql<{ keeps_messages: boolean | null }>`
      select keeps_messages from instance where connection_id = ${connectionId}`.execute(db);
    return rows[0]?.keeps_messages;
  };
  return { note, keeps };
}

test("26.25 L7 a gateway that does not know a message it sent keeps none; one that hands messages out again does", async () => {
  const it = await instanceThatSent("A", []);
  expect([await it.note(0), await it.keeps()]).toEqual([true, false]);
  expect([await it.note(0), await it.keeps()]).toEqual([false, false]);
  expect([await it.note(3), await it.keeps()]).toEqual([true, true]);
});

test("26.25 L7 a quiet time proves nothing, nor does a gateway whose clock hides what it knows", async () => {
  const quiet = await instanceThatSent(null, []);
  expect([await quiet.note(0), await quiet.keeps()]).toEqual([false, null]);
  const knows = await instanceThatSent("B", ["B"]);
  await knows.note(0);
  expect(await knows.keeps()).toBe(true);
});
