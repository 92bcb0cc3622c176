import { sql } from "kysely";
import { expect, test } from "vitest";
import { DELIVERY } from "../../src/domain/delivery.ts";
import { testDatabase } from "../support/database.ts";
import { type MadeInstance, makeInstance, openLab } from "./lab.ts";

const database = await testDatabase();
const { db } = database;
const lab = await openLab(database);

async function sent({ accountId, connectionId }: MadeInstance, id: string): Promise<() => Promise<unknown>> {
  const { rows } = await sql<{ id: number }>`
    insert into outbox (account_id, connection_id, phone, text, status, message_id, body_hash)
    values (${accountId}::uuid, ${connectionId}, 5511911112222, 'Oi', ${DELIVERY.sent}, ${id}, '') returning id`.execute(
    db,
  );
  await sql`insert into provider_message (connection_id, provider_id, outbox_id)
    values (${connectionId}, ${id}, ${rows[0]?.id})`.execute(db);
  return async () =>
    (await sql<{ status: number }>`select status from outbox where id = ${rows[0]?.id}`.execute(db)).rows[0]
      ?.status;
}

test("a Cloud API instance reports arrivals, reads, and later refusals by Meta", async () => {
  const instance = await makeInstance(db);
  const [arrived, read, failed] = ["wamid.HBgMNTUxMQ==", "wamid.HBgMNTUxMg==", "wamid.HBgMNTUxMw=="] as const;
  const statusOf = [await sent(instance, arrived), await sent(instance, read), await sent(instance, failed)];
  for (const [keyId, status] of [
    [arrived, "SENT"],
    [arrived, "DELIVERED"],
    [read, "READ"],
    [read, "DELIVERED"],
    [failed, "SENT"],
    // After 24 hours without a message of theirs, Meta refuses after it has accepted.
    [failed, "FAILED"],
  ]) {
    const remoteJid = "5511911112222@s.whatsapp.net";
    const fromMe = false;
    const data = { messageId: "row", keyId, remoteJid, fromMe, participant: remoteJid, status };
    const answer = await lab.send(instance, { event: "messages.update", data });
    expect(answer.status).toBe(200);
  }
  await lab.settled();
  expect(await Promise.all(statusOf.map((ask) => ask()))).toEqual([
    DELIVERY.delivered,
    DELIVERY.read,
    DELIVERY.error,
  ]);
});
