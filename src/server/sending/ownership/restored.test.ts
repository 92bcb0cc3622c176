import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { campaignRow, connectionRow, listRow } from "../../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, readLedger } from "../../../../tests/support/sending.ts";
import { keepQuiet, releaseRestoreLock } from "../../commands/restored-copy.ts";
import { ownerOf } from "../../db/owner.ts";
import { resumeCampaign } from "../campaigns/campaign-status.ts";
import { enqueue } from "../outbox/outbox.ts";
import { acquireConnection, findFree } from "./acquire.ts";

const { db } = await testDatabase();
const MADE_AT = "2026-11-20T12:00:00.000Z";

async function arrange() {
  await releaseRestoreLock(db);
  const account = await makeAccount(db);
  const owner = ownerOf(db, account);
  const up = await connectionRow(db, account, "connected");
  const loggedOut = await connectionRow(db, account, "disconnected", "Filial");
  await sql`update connection set fence = 3, owner = gen_random_uuid(),
    qr = 'x', pairing_code = 'ABCD' where id = ${up}`.execute(db);
  await sql`update connection set state_reason = 'logged_out' where id = ${loggedOut}`.execute(db);
  const limited = await connectionRow(db, account, "connected", "Loja");
  await sql`update connection set state_reason = 'timelocked' where id = ${limited}`.execute(db);
  const listId = await listRow(db, account);
  const sending = await campaignRow(db, account, {
    status: "sending",
    connectionId: up,
    listId,
    people: { read: 1, sent: 1, error: 1, waiting: 2, sending: 1, pending: 2 },
  });
  await sql`update delivery set fence = 3 where campaign_id = ${sending} and status = 1`.execute(db);
  await sql`update delivery set ambiguous = true where (campaign_id, seq) = (
    select campaign_id, min(seq) from delivery where campaign_id = ${sending} and status = 2 group by 1)`.execute(
    db,
  );
  const later = new Date(Date.now() + 86_400_000);
  const scheduled = await campaignRow(db, account, {
    status: "scheduled",
    connectionId: up,
    listId,
    scheduledAt: later,
  });
  const stopped = await campaignRow(db, account, { status: "paused", cause: "user", people: { pending: 1 } });
  const { id: single } = await enqueue(owner, {
    connectionId: up,
    to: { phone: "5511987654321" },
    text: "Olá",
    attachmentId: null,
    idempotencyKey: null,
    origin: "agent",
  });
  await db.transaction().execute((tx) => keepQuiet(tx, MADE_AT));
  return { account, owner, up, loggedOut, limited, sending, scheduled, stopped, single };
}

const connections = async (ids: number[]) =>
  (
    await sql`select state, state_reason as cause, desired, owner, qr, pairing_code from connection
      where id = any(${ids}::bigint[]) order by id`.execute(db)
  ).rows;

test("a restored copy doubts claimed people and direct messages, pauses campaigns and stops numbers, with reasons", async () => {
  const { up, loggedOut, limited, sending, scheduled, stopped, single } = await arrange();
  const ledger = await readLedger(db, sending);
  expect(ledger.rows).toEqual([2, 0, 1, 0, 2, 1, 0, 1, 0, 1]);
  expect(ledger.counters).toEqual(ledger.rows);
  expect(ledger).toMatchObject({ status: "paused", cause: "restored", total: 8 });
  expect(await readLedger(db, scheduled)).toMatchObject({ status: "paused", cause: "restored" });
  expect(await readLedger(db, stopped)).toMatchObject({ status: "paused", cause: "user" });
  const { rows } = await sql`select status, ambiguous, error from outbox where id = ${single}`.execute(db);
  expect(rows).toEqual([{ status: 4, ambiguous: true, error: "interrupted" }]);
  const nobodys = { desired: "connected", owner: null, qr: null, pairing_code: null };
  expect(await connections([up, loggedOut, limited])).toEqual([
    { ...nobodys, state: "disconnected", cause: "restored" },
    { ...nobodys, state: "disconnected", cause: "logged_out" },
    { ...nobodys, state: "disconnected", cause: "timelocked" },
  ]);
});

test("F26 during the restore lock no number opens and no campaign resumes; afterwards numbers return, campaigns wait", async () => {
  const { owner, up, loggedOut, sending, scheduled } = await arrange();
  const process = randomUUID();
  expect(await findFree(db, "device", 10)).toEqual([]);
  expect(await acquireConnection(db, up, process, "resend")).toBeNull();
  await expect(resumeCampaign(owner, sending)).rejects.toMatchObject({ code: "restored_held" });

  expect(await releaseRestoreLock(db)).toBe(true);
  expect(await releaseRestoreLock(db)).toBe(false);
  expect(await connections([up, loggedOut])).toMatchObject([
    { state: "connecting", cause: null },
    { state: "disconnected", cause: "logged_out" },
  ]);
  expect(await findFree(db, "device", 100)).toContain(up);
  expect(await acquireConnection(db, up, process, "resend")).toMatchObject({ connectionId: up, fence: 5 });
  expect((await readLedger(db, sending)).rows).toEqual([2, 0, 1, 0, 2, 1, 0, 1, 0, 1]);
  expect(await readLedger(db, sending)).toMatchObject({ status: "paused", cause: "restored" });

  await resumeCampaign(owner, sending);
  expect(await readLedger(db, sending)).toMatchObject({ status: "sending", cause: null });
  await resumeCampaign(owner, scheduled);
  expect(await readLedger(db, scheduled)).toMatchObject({ status: "scheduled", cause: null });
});
