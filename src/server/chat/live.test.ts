import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { accountRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { chatRow, messageRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import type { Change } from "../../contract/events.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { openLiveUpdates } from "../db/live-updates.ts";
import { moveOutbox } from "../sending/outbox/outbox-settle.ts";
import { openOutboxWaiter } from "../sending/outbox/waiter.ts";
import { phoneReceipts } from "./receipts.ts";
import { sentWatch } from "./sent-watch.ts";

const { db, database } = await testDatabase();
const KEY = Buffer.alloc(32, 3);
const at = new Date();

test("a page hears that a message sent from here changed its state, other accounts' pages do not", async () => {
  const account = await accountRow(db);
  const other = await accountRow(db);
  const connectionId = await connectionRow(db, account);
  const chat = await chatRow(db, { account, connectionId, phone: 5_511_987_654_321 });
  const changes = await openLiveUpdates(database, testLog);
  const waiter = await openOutboxWaiter(database, sentWatch({ db, changes, log: testLog }));
  const seen: Record<string, Change[]> = { [account]: [], [other]: [] };
  for (const accountId of [account, other])
    changes.subscribe({
      accountId,
      onChange: (change) => void seen[accountId]?.push(change),
      onEnd: () => undefined,
    });
  await moveOutbox(db, { id: await sentRow(db, chat, { text: "oi", status: 1 }), to: DELIVERY.sent, at });
  await vi.waitFor(() => expect(seen[account]).toEqual([{ topic: "chats", id: null }]), 60_000);
  expect(seen[other]).toEqual([]);
  await waiter.close();
  await changes.close();
});

test("W16 receipts move what was typed on the phone, only upwards, and nothing of anybody else's", async () => {
  const account = await accountRow(db);
  const connectionId = await connectionRow(db, account);
  const elsewhere = await connectionRow(db, account);
  const marks: (number | undefined)[] = [];
  const { record: tell } = phoneReceipts({
    db,
    messageKey: KEY,
    changes: { mark: (_, __, id) => void marks.push(id) },
  });
  const chat = await chatRow(db, { account, connectionId, phone: 5_511_987_654_322 });
  const far = await chatRow(db, { account, connectionId: elsewhere, phone: 5_511_987_654_322 });
  const mine = { fromMe: true, status: DELIVERY.sent };
  await messageRow(db, chat, { ...mine, providerId: "A" });
  await messageRow(db, chat, { ...mine, providerId: "B" });
  await messageRow(db, chat, { providerId: "THEIRS" });
  await messageRow(db, far, { ...mine, providerId: "FAR" });
  const status = async () =>
    (
      await sql<{ id: string; status: number | null }>`select provider_id as id, status from chat_message
        where account_id = ${account}::uuid order by provider_id`.execute(db)
    ).rows.map((row) => `${row.id} ${row.status}`);
  await tell(connectionId, [
    { messageId: "A", status: "read", at },
    { messageId: "A", status: "delivered", at },
    { messageId: "B", status: "delivered", at },
    { messageId: "B", status: "error", code: "500", at },
    { messageId: "THEIRS", status: "read", at },
    { messageId: "FAR", status: "read", at },
    { messageId: "UNKNOWN", status: "read", at },
  ]);
  expect(await status()).toEqual(["A 9", "B 8", "FAR 7", "THEIRS null"]);
  expect(marks).toEqual([chat, chat]);
  await tell(connectionId, [{ messageId: "A", status: "accepted", at }]);
  expect(await status()).toEqual(["A 9", "B 8", "FAR 7", "THEIRS null"]);
  expect(marks).toHaveLength(2);
});
