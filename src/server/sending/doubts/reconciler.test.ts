import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import { manualClock } from "../../../../tests/support/manual-clock.ts";
import { outgoingOf } from "../../../../tests/support/scripted-gateway.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { IncomingMessage } from "../../transports/transport.ts";
import { startNext } from "../campaigns/audience.ts";
import { LANE_TIMES } from "../ledger/timing.ts";
import { recordOutgoing } from "./outgoing-messages.ts";
import { Reconciler } from "./reconciler.ts";

const { db, database } = await testDatabase();
const PHONE = "5511900000000";

async function inDoubt(sentTo: () => Promise<IncomingMessage[]>) {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, "instance");
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId, text: "Promoção!" });
  await startNext(database);
  await sql`update delivery set status = 2, ambiguous = true, tries = 1, at = now(), not_before = now() + interval '15 minutes'
    where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set cursor = 1, pending_count = 0, waiting_count = 1, claimed_at = now() where id = ${campaignId}`.execute(
    db,
  );
  const asked: string[] = [];
  const lane = {
    connectionId,
    transport: {
      sentTo: ({ jid }: { jid: string }) => {
        asked.push(jid);
        return sentTo();
      },
    },
    mayAct: () => true,
  };
  return { campaignId, connectionId, asked, lane };
}

function reconciler() {
  const clock = manualClock();
  const times = { ...LANE_TIMES, search: [1_000] };
  const it = new Reconciler({ db, clock, log: testLog, times, changed: () => undefined });
  return { clock, look: it.look.bind(it) };
}

test("a process whose lease is over asks no gateway, for another may do so", async () => {
  const it = await inDoubt(async () => []);
  const { clock, look } = reconciler();
  let owns = false;
  const lanes = [{ ...it.lane, mayAct: () => owns }];
  await look(lanes);
  clock.advance(1_000);
  await look(lanes);
  expect(it.asked).toEqual([]);
  owns = true;
  await look(lanes);
  expect(it.asked).toEqual([PHONE]);
});

test("a gateway that does not answer is asked nothing more, and keeps neither the others nor what is known waiting", async () => {
  const silence = Promise.withResolvers<IncomingMessage[]>();
  const hangs = await inDoubt(() => silence.promise);
  const answers = await inDoubt(async () => []);
  const { clock, look } = reconciler();
  const lanes = [hangs.lane, answers.lane];
  for (let looks = 0; looks < 4; looks++) {
    await look(lanes);
    clock.advance(1_000);
  }
  expect(hangs.asked).toEqual([PHONE]);
  expect(answers.asked).toHaveLength(3);
  const message = { id: "a", to: PHONE, text: "Promoção!", kind: "text" as const, at: new Date() };
  await recordOutgoing(db, hangs.connectionId, [outgoingOf(message)]);
  await look(lanes);
  expect((await readLedger(db, hangs.campaignId)).rows[DELIVERY.accepted]).toBe(1);
  silence.resolve([]);
});
