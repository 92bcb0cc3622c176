import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { ANA, ANA_LID, fromPhone, GROUP, incoming, receiveLab } from "../../../tests/support/receive-lab.ts";
import { isWarm } from "../sending/ledger/known-conversations.ts";

const { db } = await testDatabase();
const at = new Date();

test("26.1 a person who writes to the number is warm for it, by both names", async () => {
  const { receive, connectionId } = await receiveLab(db);
  expect(await isWarm(db, connectionId, ANA)).toBe(false);
  await receive(incoming({ at, chat: [ANA_LID, `${ANA}@s.whatsapp.net`] }));
  expect(await isWarm(db, connectionId, ANA)).toBe(true);
  expect(await isWarm(db, connectionId, ANA_LID)).toBe(true);
});

test("26.1 what is typed on the phone makes its other side warm once it is delivered", async () => {
  const { receive, receipts, connectionId } = await receiveLab(db);
  const typed = fromPhone({ at });
  await receive(typed);
  expect(await isWarm(db, connectionId, ANA)).toBe(false);
  await receipts.record(connectionId, [{ messageId: typed.providerId, status: "delivered", at }]);
  expect(await isWarm(db, connectionId, ANA)).toBe(true);
});

test("26.1 writing in a group makes no contact warm", async () => {
  const { receive, connectionId } = await receiveLab(db);
  await receive(incoming({ at, chat: [GROUP], participant: `${ANA}@s.whatsapp.net` }));
  expect(await isWarm(db, connectionId, ANA)).toBe(false);
});
