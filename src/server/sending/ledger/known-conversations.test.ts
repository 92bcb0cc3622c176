import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import { encodeMessageId } from "../../../domain/message-id.ts";
import { startNext } from "../campaigns/audience.ts";
import { applyReceipts } from "../receipts/provider-receipts.ts";
import { isWarm, noteDelivered, noteTalks } from "./known-conversations.ts";

const { db, database } = await testDatabase();
const KEY = Buffer.alloc(32, 9);
const at = new Date();
const HERE = 5511900000000;

async function place() {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  return { accountId, connectionId };
}

async function campaignOf({ accountId, connectionId }: Awaited<ReturnType<typeof place>>, people = 3) {
  const id = await makeCampaign(db, accountId, { people, firstPhone: HERE, connectionId });
  await startNext(database);
  const { rows } = await sql<{ nonce: number }>`select nonce from campaign where id = ${id}`.execute(db);
  return { id, nonce: rows[0]?.nonce ?? 0 };
}

const person = (seq: number) => String(HERE + seq);

test("26.1 a person is warm who wrote, for that connection alone and for 12 months", async () => {
  const [here, there] = [await place(), await place()];
  await noteTalks(db, here.connectionId, [{ names: [person(1), "77@lid"], at, answered: false }]);
  expect(await isWarm(db, here.connectionId, person(1))).toBe(true);
  expect(await isWarm(db, here.connectionId, "77@lid")).toBe(true);
  expect(await isWarm(db, here.connectionId, person(2))).toBe(false);
  expect(await isWarm(db, here.connectionId, "78@lid")).toBe(false);
  expect(await isWarm(db, there.connectionId, person(1))).toBe(false);
  await sql`update known_conversation set last_in_at = now() - interval '13 months'`.execute(db);
  expect(await isWarm(db, here.connectionId, person(1))).toBe(false);
});

test("26.1 an older message leaves the time of a newer one, and a time to come is not believed", async () => {
  const { connectionId } = await place();
  const ahead = new Date(Date.now() + 400 * 86_400_000);
  await noteTalks(db, connectionId, [{ names: [person(5)], at: ahead, answered: false }]);
  await noteTalks(db, connectionId, [{ names: [person(5)], at: new Date(0), answered: false }]);
  const { rows } = await sql`select last_in_at <= now() and last_in_at > now() - interval '1 hour' as fresh
    from known_conversation where connection_id = ${connectionId}`.execute(db);
  expect(rows).toEqual([{ fresh: true }]);
});

test("26.1 who wrote under a hidden address alone is warm by the phone that was looked up for it", async () => {
  const { connectionId } = await place();
  await noteTalks(db, connectionId, [{ names: [null, "4711@lid"], at, answered: false }]);
  expect(await isWarm(db, connectionId, person(7))).toBe(false);
  await sql`insert into wa_address (phone, jid, lid) values (${person(7)}::bigint, 'x', '4711@lid')`.execute(
    db,
  );
  expect(await isWarm(db, connectionId, person(7))).toBe(true);
});

test("26.1 a group is no new conversation", async () => {
  const { connectionId } = await place();
  expect(await isWarm(db, connectionId, "120363001@g.us")).toBe(true);
});

test("26.1 a delivered or read message makes a person warm, an accepted or refused one does not", async () => {
  const here = await place();
  const { nonce } = await campaignOf(here, 4);
  const receipts = (["accepted", "delivered", "read", "error"] as const).map((status, seq) => ({
    status,
    at,
    messageId: encodeMessageId(KEY, { nonce, seq, generation: 0 }),
  }));
  await noteDelivered(db, here.connectionId, KEY, receipts);
  const warm = await Promise.all([0, 1, 2, 3].map((seq) => isWarm(db, here.connectionId, person(seq))));
  expect(warm).toEqual([false, true, true, false]);
});

test("26.1 receipts of another connection's messages do not make a person warm here", async () => {
  const [here, there] = [await place(), await place()];
  const { nonce } = await campaignOf(there);
  const messageId = encodeMessageId(KEY, { nonce, seq: 0, generation: 0 });
  await noteDelivered(db, here.connectionId, KEY, [{ messageId, status: "read", at }]);
  expect(await isWarm(db, here.connectionId, person(0))).toBe(false);
});

test("26.1 the delivery of a single message makes its person warm", async () => {
  const { accountId, connectionId } = await place();
  const messageId = `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash)
    values (${accountId}::uuid, ${connectionId}, ${person(1)}::bigint, 'Oi', ${messageId}, '')`.execute(db);
  await noteDelivered(db, connectionId, KEY, [{ messageId, status: "delivered", at }]);
  expect(await isWarm(db, connectionId, person(1))).toBe(true);
});

test("26.1 a gateway's receipt of a delivery makes its person warm", async () => {
  const here = await place();
  const { id } = await campaignOf(here);
  await sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number)
    values (${here.connectionId}, 'A', ${id}, 0, 0), (${here.connectionId}, 'B', ${id}, 1, 0)`.execute(db);
  await applyReceipts(db, here.connectionId, [
    { messageId: "A", status: "delivered", at },
    { messageId: "B", status: "accepted", at },
  ]);
  expect(await isWarm(db, here.connectionId, person(0))).toBe(true);
  expect(await isWarm(db, here.connectionId, person(1))).toBe(false);
});

test("26.1 the migration finds conversations of the time before in chats, campaigns and single messages", async () => {
  const { accountId, connectionId } = await place();
  const { id } = await campaignOf({ accountId, connectionId });
  await sql`update delivery set status = 7, at = now() where campaign_id = ${id} and seq = 1`.execute(db);
  const chat = async (phone: string | null, lid: string | null, fromMe: boolean, status: number | null) =>
    sql`with c as (
        insert into chat (account_id, connection_id, kind, phone, lid)
        values (${accountId}::uuid, ${connectionId}, 'person', ${phone}::bigint, ${lid}) returning id)
      insert into chat_message (chat_id, account_id, connection_id, provider_id, from_me, status, at)
      select id, ${accountId}::uuid, ${connectionId}, ${randomBytes(6).toString("hex")}, ${fromMe}, ${status}, now() from c`.execute(
      db,
    );
  await chat(person(11), "11@lid", false, null);
  await chat(person(12), null, true, 6);
  await chat(person(13), null, true, 7);
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, at)
    values (${accountId}::uuid, ${connectionId}, ${person(14)}::bigint, 'Oi', 'M14', '', 8, now())`.execute(
    db,
  );
  const text = fs.readFileSync("db/migrations/0021_known_conversations.sql", "utf8");
  const fill = /^insert into known_conversation[\s\S]*?;/m.exec(text)?.[0] ?? "";
  await sql`delete from known_conversation where connection_id = ${connectionId}`.execute(db);
  await sql.raw(fill.replace(/;$/, " on conflict do nothing")).execute(db);
  const { rows } = await sql<{ address: string }>`select address from known_conversation
    where connection_id = ${connectionId} order by address`.execute(db);
  expect(rows.map(({ address }) => address)).toEqual([
    "11@lid",
    person(1),
    person(11),
    person(13),
    person(14),
  ]);
});
