import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { AppError } from "../../../domain/errors.ts";
import { holdErasures } from "../../db/erased-people.ts";
import { ownerOf } from "../../db/owner.ts";
import { settle } from "../ledger/settle.ts";
import { type Claimed, takeTurn } from "../ledger/turn.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { startNext } from "./audience.ts";
import { erasePerson } from "./erase-person.ts";

const { db, database } = await testDatabase();

const FIRST = 5_511_900_000_000;
const phoneOf = (seq: number) => String(FIRST + seq);
const LIST = { from: "Contato manual - Ana", to: "Contato manual" };

async function arranged(people: number) {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people, connectionId, firstPhone: FIRST });
  return { accountId, connectionId, campaignId, owner: ownerOf(db, accountId) };
}

const erase = (owner: ReturnType<typeof ownerOf>, phone: string) =>
  owner.db.transaction().execute((tx) => erasePerson(owner.in(tx), { phone, addresses: [] }, LIST));

async function placeAt(campaignId: number, seq: number) {
  const { rows } = await sql<{ phone: number; name: string; status: number; error: string | null }>`
    select phone, name, status, error from delivery where campaign_id = ${campaignId} and seq = ${seq}`.execute(
    db,
  );
  return rows[0];
}

async function sumsUp(campaignId: number) {
  const ledger = await readLedger(db, campaignId);
  expect(ledger.counters).toEqual(ledger.rows);
  expect(ledger.counters.reduce((a, b) => a + b, 0)).toBe(ledger.total);
  return ledger;
}

test("in 60 races of erasures and turns each is either skipped and never claimed, or refused and sent", async () => {
  const RACES = 60;
  const { connectionId, campaignId, owner } = await arranged(RACES);
  await startNext(database);
  const lane = await acquireConnection(db, connectionId, crypto.randomUUID(), "resend");
  const claimed = new Set<number>();
  const erased = new Set<number>();
  const refused = new Set<number>();

  async function turns(): Promise<void> {
    let inHand: Claimed[] = [];
    for (let over = false; !over; ) {
      const answer = await takeTurn(database.prepared, {
        ...{
          connectionId,
          fence: lane?.fence ?? 0,
          campaignId,
          from: "cursor",
          want: 2,
          lowestInFlightSeq: 0,
        },
        finished: inHand.map(({ seq }) => ({ seq, to: "sent" as const, at: Date.now() })),
      });
      if (!answer) throw new Error("the lane was lost");
      inHand = answer.claimed;
      for (const { seq, phone } of inHand) {
        expect(phone).toBe(phoneOf(seq));
        claimed.add(seq);
      }
      over = inHand.length === 0 && answer.cursor >= answer.total;
    }
  }

  async function erasures(): Promise<void> {
    for (let n = 0; n < RACES; n++) {
      const seq = (n * 37) % RACES;
      await erase(owner, phoneOf(seq)).then(
        () => erased.add(seq),
        (error: unknown) => {
          if (!(error instanceof AppError) || error.code !== "person_in_flight") throw error;
          refused.add(seq);
        },
      );
    }
  }

  await Promise.all([turns(), erasures()]);
  expect(erased.size + refused.size).toBe(RACES);
  for (let seq = 0; seq < RACES; seq++) {
    const place = await placeAt(campaignId, seq);
    expect(place?.status).toBe(claimed.has(seq) ? DELIVERY.sent : DELIVERY.skipped);
    expect(place?.phone).toBe(erased.has(seq) ? -1 - seq : FIRST + seq);
    expect(place?.name === "").toBe(erased.has(seq));
  }
  const ledger = await sumsUp(campaignId);
  expect(ledger.counters[DELIVERY.sent]).toBe(claimed.size);
  expect(ledger.counters[DELIVERY.skipped]).toBe(RACES - claimed.size);
  expect(ledger.counters[DELIVERY.skipped]).toBeGreaterThan(0);
});

test("a start waits for an erasure, and freezes the people it left", async () => {
  const { accountId, campaignId } = await arranged(3);
  const tx = await db.startTransaction().execute();
  await holdErasures(tx, accountId, "erase");
  const start = startNext(database);
  await expect
    .poll(async () => {
      const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and not granted`.execute(
        db,
      );
      return rows.length;
    })
    .toBe(1);
  await sql`delete from person where account_id = ${accountId}::uuid and phone = ${phoneOf(1)}::bigint`.execute(
    tx,
  );
  await tx.commit().execute();
  expect(await start).toMatchObject({ campaignId, total: 2 });
  const { rows } = await sql<{ phone: string }>`select phone::text as phone from delivery
    where campaign_id = ${campaignId} order by seq`.execute(db);
  expect(rows.map(({ phone }) => phone)).toEqual([phoneOf(0), phoneOf(2)]);
});

test("a late receipt still finds the place of a person who was erased before it", async () => {
  const { campaignId, owner } = await arranged(2);
  await startNext(database);
  await settle(db, campaignId, [{ seq: 1, to: DELIVERY.sent, at: new Date() }], { from: [DELIVERY.pending] });
  await erase(owner, phoneOf(1));
  expect(await settle(db, campaignId, [{ seq: 1, to: DELIVERY.read, at: new Date() }])).toBe(1);
  expect(await placeAt(campaignId, 1)).toMatchObject({ status: DELIVERY.read, phone: -2, name: "" });
  await sumsUp(campaignId);
});

test("a person of a human's resend who has not got it yet goes to a human, since the first one may have arrived", async () => {
  const { campaignId, owner } = await arranged(2);
  await startNext(database);
  await settle(db, campaignId, [{ seq: 0, to: DELIVERY.uncertain, at: new Date() }], {
    from: [DELIVERY.pending],
  });
  await settle(db, campaignId, [{ seq: 0, to: DELIVERY.waiting, at: new Date() }], {
    from: [DELIVERY.uncertain],
    newGeneration: true,
  });
  await erase(owner, phoneOf(0));
  expect(await placeAt(campaignId, 0)).toMatchObject({
    status: DELIVERY.uncertain,
    phone: -1,
    error: "erased",
  });
  await sumsUp(campaignId);
});

test("the name of a manual list goes from the lists of a campaign, alone or among others, whatever signs it holds", async () => {
  const own = (name: string) => ({ from: `Contato manual - ${name}`, to: "Contato manual" });
  const written: [erased: string, before: string, after: string][] = [
    ["Ana", "Contato manual - Ana", "Contato manual"],
    ["Ana", "VIP + Contato manual - Ana + Novos", "VIP + Contato manual + Novos"],
    ["Ana", "VIP + Contato manual - Ana", "VIP + Contato manual"],
    ["Ana", "Contato manual - Ana Lima", "Contato manual - Ana Lima"],
    ["Ana + Bia", "Contato manual - Ana + Bia", "Contato manual"],
    ["Ana + Bia", "VIP + Contato manual - Ana + Bia", "VIP + Contato manual"],
  ];
  for (const [name, before, after] of written) {
    const { owner, campaignId } = await arranged(1);
    await sql`update campaign set list_name = ${before} where id = ${campaignId}`.execute(db);
    await owner.db
      .transaction()
      .execute((tx) => erasePerson(owner.in(tx), { phone: phoneOf(0), addresses: [] }, own(name)));
    const { rows } = await sql`select list_name from campaign where id = ${campaignId}`.execute(db);
    expect(rows, before).toEqual([{ list_name: after }]);
  }
});
