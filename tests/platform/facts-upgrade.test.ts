import { sql } from "kysely";
import { expect, test } from "vitest";
import { applyMigrations, migrate, readMigrations } from "../../src/server/db/migrate.ts";
import { connectionRow } from "../support/campaign-rows.ts";
import { chatRow, messageRow, sentRow } from "../support/chat-rows.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { makeAccount } from "../support/sending.ts";

async function older(before: string) {
  const { db, database } = await testDatabase({ empty: true });
  const old = readMigrations().filter(({ name }) => name < before);
  await db.transaction().execute((tx) => applyMigrations(tx, old));
  const account = await makeAccount(db);
  const connectionId = await connectionRow(db, account);
  const chat = await chatRow(db, { account, connectionId, phone: 5_531_987_654_321 });
  return { db, account, connectionId, chat, upgrade: () => migrate(database, testLog) };
}

test("after an upgrade an answer that was stored leads to what it quotes, a reaction stays a line", async () => {
  const { db, account, connectionId, chat, upgrade } = await older("0110");
  const other = await chatRow(db, { account, connectionId, phone: 5_531_987_654_322 });
  const asked = await messageRow(db, chat, { text: "fecha às 18h?", providerId: "3A1" });
  const sent = await sentRow(db, chat, { text: "promoção", status: 8 });
  await messageRow(db, other, { text: "alheia", providerId: "3AOTHER" });
  for (const text of ["sim", "quero", "alheio", "👍"]) await messageRow(db, chat, { text });
  const quote = (text: string, id: string) =>
    sql`update chat_message set quoted_id = ${id} where text = ${text}`.execute(db);
  await quote("sim", "3A1");
  await quote("alheio", "3AOTHER");
  await quote("👍", "3A1");
  await sql`update chat_message set kind = 'reaction' where text = '👍'`.execute(db);
  await sql`update chat_message set quoted_id = (select message_id from outbox where id = ${sent}) where text = 'quero'`.execute(
    db,
  );
  await upgrade();
  const { rows } = await sql`select text, kind, quoted_key as key, quoted from chat_message
    where chat_id = ${chat} order by id`.execute(db);
  expect(rows).toEqual([
    { text: "fecha às 18h?", kind: "text", key: null, quoted: null },
    { text: "sim", kind: "text", key: `m${asked}`, quoted: null },
    { text: "quero", kind: "text", key: `o${sent}`, quoted: null },
    { text: "alheio", kind: "text", key: null, quoted: null },
    { text: "👍", kind: "reaction", key: null, quoted: null },
  ]);
});
