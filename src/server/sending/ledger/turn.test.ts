import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import { startNext } from "../campaigns/audience.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { noteTalks } from "./known-conversations.ts";
import { type Finished, type TurnRequest, takeTurn } from "./turn.ts";

const { db, database } = await testDatabase();

async function givenBack(people: number) {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people, connectionId });
  await startNext(database);
  await sql`update delivery set status = 2 where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set cursor = ${people}, pending_count = 0, waiting_count = ${people} where id = ${campaignId}`.execute(
    db,
  );
  const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
  const lane = { connectionId, fence: taken?.fence ?? 0, campaignId, lowestInFlightSeq: null };
  return {
    campaignId,
    async turn(from: TurnRequest["from"], want: number, finished: readonly Finished[] = []) {
      const answer = await takeTurn(database.prepared, { ...lane, from, want, finished });
      return answer?.claimed.map(({ seq }) => seq);
    },
  };
}

test("of returned people unsent ones come first, then the longest waiting", async () => {
  const it = await givenBack(4);
  await sql`update delivery set not_before = now() - (case seq when 0 then 1 when 1 then 3 else 2 end) * interval '1 second'
    where campaign_id = ${it.campaignId} and seq < 3`.execute(db);
  expect(await it.turn("returned", 1)).toEqual([3]);
  expect(await it.turn("returned", 1)).toEqual([1]);
  expect(await it.turn("returned", 2)).toEqual([0, 2]);
});

test("a person who may have the message stays in doubt when returned unsent", async () => {
  const it = await givenBack(2);
  await sql`update delivery set ambiguous = true, tries = 1 where campaign_id = ${it.campaignId} and seq = 0`.execute(
    db,
  );
  expect(await it.turn("doubt", 2)).toEqual([0]);
  expect(await it.turn("returned", 2)).toEqual([1]);
  const unsent = { to: "waiting", at: Date.now(), error: null, attempts: 0, ambiguous: false, delayMs: 0 };
  const back = [0, 1].map((seq) => ({ ...unsent, seq }) as Finished);
  await it.turn("cursor", 0, back);
  expect(await it.turn("returned", 2)).toEqual([1]);
  const { rows } = await sql`select ambiguous, tries from delivery
    where campaign_id = ${it.campaignId} and seq = 0`.execute(db);
  expect(rows).toEqual([{ ambiguous: true, tries: 1 }]);
});

test("31.7 until the first people are judged only warm ones behind them are claimed, whatever room there is", async () => {
  const people = 130;
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people, connectionId });
  await startNext(database);
  await sql`update campaign set claims_to = 20 where id = ${campaignId}`.execute(db);
  const at = new Date();
  const talks = [3, 19, 20, 60].map((seq) => ({
    names: [String(5_511_900_000_000 + seq)],
    at,
    answered: false,
  }));
  await noteTalks(db, connectionId, talks);
  const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
  const turn = (from: "cursor" | "warm") =>
    takeTurn(database.prepared, {
      connectionId,
      campaignId,
      from,
      fence: taken?.fence ?? 0,
      finished: [],
      want: 50,
      lowestInFlightSeq: null,
    });
  const warm = await turn("warm");
  expect(warm).toMatchObject({ held: false, cursor: 0, warmNext: null });
  expect(warm?.claimed.map(({ seq }) => seq)).toEqual([3, 19, 20, 60]);
  const first = await turn("cursor");
  expect(first).toMatchObject({ held: true, cursor: 20 });
  expect(first?.claimed).toHaveLength(18);
  expect((await turn("cursor"))?.claimed).toEqual([]);
  expect((await turn("warm"))?.claimed).toEqual([]);
  await sql`update campaign set claims_to = null where id = ${campaignId}`.execute(db);
  expect((await turn("cursor"))?.claimed).toHaveLength(49);
});
