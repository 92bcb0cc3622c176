import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import { startNext } from "../campaigns/audience.ts";
import { cancelCampaign, pauseCampaign, resumeCampaign } from "../campaigns/campaign-status.ts";
import { sweepCancelled } from "../campaigns/campaign-sweeps.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { settle as settleMoves } from "./settle.ts";
import { type Claimed, type Finished, type TurnRequest, takeTurn } from "./turn.ts";

/* Any order of claims, outcomes, pauses and cancels, with crashing and replaced owners: states add up and
   each person gets at most one message. */

const { db, database } = await testDatabase();

const PEOPLE = 12;
const SEED = 20_261_120;
const RUNS = 30;

type Model = {
  status: "sending" | "paused" | "cancelled" | "ended";
  sent: Set<number>;
  accepted: Set<number>;
  doubted: Set<number>;
};
type Real = {
  accountId: string;
  connectionId: number;
  campaignId: number;
  fence: number;
  inHand: Claimed[];
};
type Command = fc.AsyncCommand<Model, Real>;

async function turn(model: Model, real: Real, request: Pick<TurnRequest, "finished" | "from" | "want">) {
  const lowestInFlightSeq = real.inHand.length > 0 ? Math.min(...real.inHand.map(({ seq }) => seq)) : null;
  const { connectionId, campaignId, fence } = real;
  const answer = await takeTurn(database.prepared, {
    connectionId,
    campaignId,
    fence,
    lowestInFlightSeq,
    ...request,
  });
  if (!answer) throw new Error("the owner was refused its turn");
  for (const one of request.finished) {
    if (one.to === "sent") model.sent.add(one.seq);
    if (one.to === "accepted") model.accepted.add(one.seq);
  }
  for (const { seq, ambiguous } of answer.claimed) {
    expect(model.sent.has(seq), `${seq} has it and was handed out`).toBe(false);
    expect(model.accepted.has(seq), `${seq} was accepted and handed out`).toBe(false);
    if (model.doubted.has(seq)) expect(ambiguous, `${seq} may have it and was handed out as new`).toBe(true);
    expect(model.status, "a person was claimed in a campaign that does not send").toBe("sending");
    model.doubted.add(seq);
  }
  real.inHand.push(...answer.claimed);
}

async function agree(model: Model, { campaignId, inHand }: Real): Promise<void> {
  const ledger = await readLedger(db, campaignId);
  expect(ledger.rows).toEqual(ledger.counters);
  expect(ledger.sum).toBe(PEOPLE);
  expect(await seqsIn(campaignId, DELIVERY.sent)).toEqual([...model.sent].toSorted((a, b) => a - b));
  expect(await seqsIn(campaignId, DELIVERY.accepted)).toEqual([...model.accepted].toSorted((a, b) => a - b));
  expect(await unconfirmedOfDays(campaignId)).toBe(model.accepted.size);
  if (ledger.status === "ended" && model.status !== "cancelled") model.status = "ended";
  if (model.status === "ended") expect(inHand).toEqual([]);
  if (ledger.status === "ended") expect(model.accepted.size, "it ended unconfirmed").toBe(0);
}

async function seqsIn(campaignId: number, status: number): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`select seq from delivery
    where campaign_id = ${campaignId} and status = ${status} order by seq`.execute(db);
  return rows.map(({ seq }) => seq);
}

async function unconfirmedOfDays(campaignId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`select coalesce(sum(unconfirmed), 0)::int as n from campaign_day
    where campaign_id = ${campaignId}`.execute(db);
  return rows[0]?.n ?? 0;
}

function command(
  name: string,
  may: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command {
  return {
    check: (model) => may(model),
    toString: () => name,
    async run(model, real) {
      await run(model, real);
      await agree(model, real);
    },
  };
}

const alive = ({ status }: Model) => status !== "ended";

const claim = (from: TurnRequest["from"], want: number) =>
  command(`claim ${want} ${from}`, alive, (model, real) => turn(model, real, { finished: [], from, want }));

type Outcome = "sent" | "accepted" | "returned" | "doubt" | "error" | "skipped";

const settle = (outcome: Outcome, many: number) =>
  command(`settle ${many} ${outcome}`, alive, async (model, real) => {
    const batch = real.inHand.splice(0, many);
    if (outcome === "returned")
      for (const { seq, ambiguous } of batch) if (!ambiguous) model.doubted.delete(seq);
    await turn(model, real, {
      finished: batch.map((one) => finished(one, outcome)),
      from: "cursor",
      want: 0,
    });
  });

function finished({ seq, ambiguous }: Claimed, outcome: Outcome): Finished {
  const at = Date.now();
  if (outcome === "sent") return { seq, to: "sent", at };
  if (outcome === "accepted") return { seq, to: "accepted", at };
  const rest = { seq, at, attempts: 1, delayMs: 0 };
  if (outcome === "returned") return { ...rest, to: "waiting", error: null, ambiguous };
  if (outcome === "doubt") return { ...rest, to: "waiting", error: null, ambiguous: true };
  return { ...rest, to: outcome, error: "refused", ambiguous };
}

const hear = (status: "sent" | "error", many: number) =>
  command(`hear ${many} ${status}`, alive, async (model, { campaignId }) => {
    const moves = [...model.accepted].slice(0, many).map((seq) => {
      model.accepted.delete(seq);
      if (status === "sent") model.sent.add(seq);
      return { seq, to: DELIVERY[status], at: new Date(), error: status === "error" ? "wa_refused" : null };
    });
    await db.transaction().execute((tx) => settleMoves(tx, campaignId, moves, { from: [DELIVERY.accepted] }));
  });

const crash = () =>
  command("crash", alive, async (model, real) => {
    const { connectionId, campaignId, fence: old } = real;
    await takeAway(real);
    const late = real.inHand.map((one) => finished(one, "sent"));
    real.inHand = [];
    const request = { connectionId, campaignId, fence: old, finished: late, lowestInFlightSeq: null };
    expect(await takeTurn(database.prepared, { ...request, want: 5, from: "cursor" })).toBeNull();
    expect(model.sent.size).toBeLessThanOrEqual(PEOPLE);
  });

async function takeAway(real: Real): Promise<void> {
  const taken = await acquireConnection(db, real.connectionId, randomUUID(), "resend");
  real.fence = taken?.fence ?? 0;
}

async function awaitsOnlyWord(campaignId: number): Promise<boolean> {
  const { rows } = await readLedger(db, campaignId);
  return rows.slice(0, 3).every((n) => n === 0) && (rows[DELIVERY.accepted] ?? 0) > 0;
}

const pause = () =>
  command(
    "pause",
    ({ status }) => status === "sending",
    async (model, { accountId, campaignId }) => {
      if (await awaitsOnlyWord(campaignId)) return;
      await pauseCampaign(ownerOf(db, accountId), campaignId);
      model.status = "paused";
    },
  );

const resume = () =>
  command(
    "resume",
    ({ status }) => status === "paused",
    async (model, { accountId, campaignId }) => {
      if (await awaitsOnlyWord(campaignId)) return;
      await resumeCampaign(ownerOf(db, accountId), campaignId);
      model.status = "sending";
    },
  );

const cancel = () =>
  command(
    "cancel",
    ({ status }) => status === "sending" || status === "paused",
    async (model, { accountId, campaignId }) => {
      if (await awaitsOnlyWord(campaignId)) return;
      await cancelCampaign(ownerOf(db, accountId), campaignId);
      model.status = "cancelled";
    },
  );

const sweep = () => command("sweep", alive, async () => void (await sweepCancelled(db)));

const SOURCES = ["cursor", "retry", "returned", "doubt"] as const;
const OUTCOMES = ["sent", "accepted", "returned", "doubt", "error", "skipped"] as const;
const commands = fc.commands(
  [
    // Cancel is rarer, or few runs would reach a second crash.
    fc.oneof(
      { weight: 10, arbitrary: fc.integer({ min: 1, max: 4 }).map((want) => claim("cursor", want)) },
      {
        weight: 10,
        arbitrary: fc
          .tuple(fc.constantFrom(...SOURCES), fc.integer({ min: 1, max: 4 }))
          .map(([from, want]) => claim(from, want)),
      },
      {
        weight: 16,
        arbitrary: fc
          .tuple(fc.constantFrom(...OUTCOMES), fc.integer({ min: 1, max: 4 }))
          .map(([to, many]) => settle(to, many)),
      },
      {
        weight: 6,
        arbitrary: fc
          .tuple(fc.constantFrom("sent" as const, "error" as const), fc.integer({ min: 1, max: 4 }))
          .map(([status, many]) => hear(status, many)),
      },
      { weight: 4, arbitrary: fc.constant(null).map(crash) },
      { weight: 2, arbitrary: fc.constant(null).map(pause) },
      { weight: 4, arbitrary: fc.constant(null).map(resume) },
      { weight: 1, arbitrary: fc.constant(null).map(cancel) },
      { weight: 1, arbitrary: fc.constant(null).map(sweep) },
    ),
  ],
  { maxCommands: 40, size: "max" },
);

async function fresh(): Promise<{ model: Model; real: Real }> {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: PEOPLE, connectionId });
  await startNext(database);
  const real: Real = { accountId, connectionId, campaignId, fence: 0, inHand: [] };
  await takeAway(real);
  return { model: { status: "sending", sent: new Set(), accepted: new Set(), doubted: new Set() }, real };
}

async function finish(model: Model, real: Real): Promise<void> {
  if (model.status === "paused") await resume().run(model, real);
  const open = async () => (await readLedger(db, real.campaignId)).rows.slice(0, 3);
  for (let turns = 0; turns < 60 && (await open()).some((people) => people > 0); turns++) {
    await settle("sent", PEOPLE).run(model, real);
    await sweep().run(model, real);
    if (model.status === "sending")
      await claim(SOURCES[turns % SOURCES.length] ?? "cursor", PEOPLE).run(model, real);
  }
  expect(await open(), "no one without a final state").toEqual([0, 0, 0]);
  await hear("sent", PEOPLE).run(model, real);
  expect(["ended", "cancelled"]).toContain((await readLedger(db, real.campaignId)).status);
}

test(`any order of claims, outcomes, crashes, pauses and cancels: states add up, no one twice (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (run) => {
      const { model, real } = await fresh();
      await fc.asyncModelRun(() => ({ model, real }), run);
      await finish(model, real);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
