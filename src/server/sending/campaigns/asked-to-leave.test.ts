import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { whyLeftOut } from "../ledger/left-out.ts";
import { takeTurn } from "../ledger/turn.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { startNext } from "./audience.ts";
import { pauseCampaign, resumeCampaign } from "./campaign-status.ts";
import { confirmLeaving, optIn, optOut, sweepOptedOut, takeUpAgain } from "./opt-out.ts";

const { db, database } = await testDatabase();
const { arrange, open } = laneLab({ db, database });

const FIRST = 5_511_900_000_000;
const phoneOf = (seq: number) => String(FIRST + seq);
const asks = (phone: string) => ({
  phone,
  source: "asked" as const,
  connectionId: null,
  text: "Quero sair",
});
const says = (phone: string) => ({ phone, source: "reply" as const, connectionId: null, text: "SAIR" });
const LEFT_OUT = { status: DELIVERY.skipped, error: "asked_to_leave" };

async function started(people: number) {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, "device");
  const campaignId = await makeCampaign(db, accountId, { people, connectionId, firstPhone: FIRST });
  await startNext(database);
  const taken = await acquireConnection(db, connectionId, crypto.randomUUID(), "resend");
  const turn = (from: "cursor" | "returned" | "retry" | "doubt", want = 10, finished: object[] = []) =>
    takeTurn(database.prepared, {
      connectionId,
      fence: taken?.fence ?? 0,
      campaignId,
      lowestInFlightSeq: 0,
      from,
      want,
      finished: finished as never,
    });
  return { accountId, connectionId, campaignId, owner: ownerOf(db, accountId), turn };
}

async function statesOf(campaignId: number) {
  const { rows } = await sql<{ status: number; error: string | null }>`select status, error from delivery
    where campaign_id = ${campaignId} order by seq`.execute(db);
  return rows;
}

async function sumsUp(campaignId: number) {
  const ledger = await readLedger(db, campaignId);
  expect(ledger.counters).toEqual(ledger.rows);
  expect(ledger.counters.reduce((a, b) => a + b, 0)).toBe(ledger.total);
}

test("OP02 who seems to ask to leave before a campaign starts is left out of it with a reason of its own", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const owner = ownerOf(db, accountId);
  await optOut(owner, asks(phoneOf(1)));
  await optOut(owner, says(phoneOf(2)));
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId, firstPhone: FIRST });
  await startNext(database);
  expect(await statesOf(campaignId)).toEqual([
    { status: DELIVERY.pending, error: null },
    LEFT_OUT,
    { status: DELIVERY.skipped, error: "opted_out" },
  ]);
  await sumsUp(campaignId);
});

test("OP02 who seems to ask while a campaign runs or stands still is not handed out until it is decided @decision 35", async () => {
  const { campaignId, owner, turn } = await started(4);
  await turn("cursor", 1);
  const back = { to: "waiting", at: Date.now(), error: null, attempts: 0, delayMs: 0, ambiguous: false };
  for (const seq of [0, 1]) expect(await optOut(owner, asks(phoneOf(seq)))).toMatchObject({ campaigns: 1 });
  await pauseCampaign(owner, campaignId);
  await optOut(owner, asks(phoneOf(2)));
  await resumeCampaign(owner, campaignId);
  const rest = await turn("cursor", 10, [{ ...back, seq: 0 }]);
  expect(rest?.claimed.map(({ seq }) => seq)).toEqual([3]);
  for (const from of ["retry", "returned", "doubt"] as const)
    expect((await turn(from))?.claimed, from).toEqual([]);
  while ((await sweepOptedOut(db)).length > 0);
  expect((await statesOf(campaignId)).slice(0, 3)).toEqual([LEFT_OUT, LEFT_OUT, LEFT_OUT]);
  await sumsUp(campaignId);
});

test("OP02 a person who stays returns once to running campaigns and joins the next; ended ones are unchanged", async () => {
  const { accountId, connectionId, campaignId, owner, turn } = await started(2);
  const ended = await makeCampaign(db, accountId, { people: 1, connectionId, firstPhone: FIRST + 1 });
  await optOut(owner, asks(phoneOf(1)));
  await startNext(database);
  await sql`update campaign set status = 'ended' where id = ${ended}`.execute(db);
  await db.transaction().execute(async (tx) => {
    expect(await optIn(owner.in(tx), phoneOf(1))).not.toBeNull();
    expect(await takeUpAgain(owner.in(tx), phoneOf(1))).toBe(1);
    expect(await takeUpAgain(owner.in(tx), phoneOf(1))).toBe(0);
  });
  const claimed = [...((await turn("cursor"))?.claimed ?? []), ...((await turn("returned"))?.claimed ?? [])];
  expect(claimed.map(({ seq }) => seq)).toEqual([0, 1]);
  await sumsUp(campaignId);
  expect(await statesOf(ended)).toEqual([LEFT_OUT]);
  const next = await makeCampaign(db, accountId, { people: 2, connectionId, firstPhone: FIRST });
  await startNext(database);
  expect((await statesOf(next))[1]?.status).toBe(DELIVERY.pending);
});

test("OP02 a decision to leave keeps the words and is made once; a certain word needs none", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const left = await optOut(owner, asks(phoneOf(0)));
  expect(await optOut(owner, asks(phoneOf(0))), "said twice").toBeNull();
  expect(await whyLeftOut(owner, phoneOf(0))).toBe("asked_to_leave");
  expect(await confirmLeaving(owner, phoneOf(0), new Date(0)), "about another entry").toBeNull();
  expect(await confirmLeaving(ownerOf(db, await makeAccount(db)), phoneOf(0)), "another's").toBeNull();
  expect(await confirmLeaving(owner, phoneOf(0), left?.at)).toEqual(left?.at);
  expect(await confirmLeaving(owner, phoneOf(0))).toBeNull();
  expect(await whyLeftOut(owner, phoneOf(0))).toBe("opted_out");

  await optOut(owner, asks(phoneOf(1)));
  await optOut(owner, says(phoneOf(1)));
  await optOut(owner, asks(phoneOf(1)));
  expect(await whyLeftOut(owner, phoneOf(1))).toBe("opted_out");
});

test("OP02 who seems to ask while their message is prepared is not written to", async () => {
  const it = await arrange({
    people: 3,
    answer: async ({ to, messageId, signal }) => {
      await Promise.resolve();
      if (to.jid === phoneOf(1)) open[0]?.optOut(phoneOf(1), "asked_to_leave");
      if (signal?.aborted) return { kind: "stop", cause: "not_connected", retryAt: null };
      if (to.jid === phoneOf(0)) open[0]?.optOut(phoneOf(2), "asked_to_leave");
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  for (const seq of [1, 2])
    await sql`insert into opt_out (account_id, phone, source)
    values (${it.accountId}::uuid, ${phoneOf(seq)}::bigint, 'asked')`.execute(db);
  await it.run();
  await it.finishes();
  expect(await statesOf(it.campaignId)).toEqual([{ status: DELIVERY.sent, error: null }, LEFT_OUT, LEFT_OUT]);
});

test("OP02 a doubtful message of an undecided person is not sent again by hand", async () => {
  const { campaignId, owner, turn } = await started(1);
  await turn("cursor");
  await optOut(owner, asks(phoneOf(0)));
  const doubt = { seq: 0, to: "uncertain", at: Date.now(), error: "no_ack", attempts: 1, delayMs: 0 };
  await turn("cursor", 0, [{ ...doubt, ambiguous: true }]);
  await expect(actOnDelivery(owner, campaignId, 0, "resend")).rejects.toMatchObject({
    code: "person_asks_to_leave",
  });
});
