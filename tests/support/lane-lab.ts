import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, afterEach, vi } from "vitest";
import { openDatabase } from "../../src/server/db/client.ts";
import { ownerOf } from "../../src/server/db/owner.ts";
import { findOutgoing } from "../../src/server/files/repo.ts";
import { startNext } from "../../src/server/sending/campaigns/audience.ts";
import { Lane } from "../../src/server/sending/lane/lane.ts";
import type { LaneDeps } from "../../src/server/sending/lane/lane-deps.ts";
import { LANE_TIMES, type LaneTimes } from "../../src/server/sending/ledger/timing.ts";
import { acquireConnection } from "../../src/server/sending/ownership/acquire.ts";
import { type TestDatabase, testLog } from "./database.ts";
import { manualClock } from "./manual-clock.ts";
import { type Script, scriptedTransport } from "./scripted-transport.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "./sending.ts";

const KEY = Buffer.alloc(32, 3);
const POLL_MS = 2;

export const OWN_PHONE = "5511900000999";

export type LaneOptions = Script & {
  people?: number;
  intervalS?: number;
  text?: string;
  more?: number;
  resendsDoubts?: boolean;
  figures?: LaneDeps["figures"];
  times?: Partial<LaneTimes>;
  start?: Date;
  random?: () => number;
  mayAct?: (nth: number) => boolean;
};

export function laneLab({ db, database }: Pick<TestDatabase, "db" | "database">) {
  const open: Lane[] = [];
  /** Separate, so that a test sees when a lane waits for the database. */
  const theirs = openDatabase(database.url, { log: testLog });
  afterAll(() => theirs.close());
  /** A row seen by a test may be unknown to the lane: its answer may still be pending. */
  const waitsForDatabase = () => {
    const { open: made, idle, waiting } = theirs.pool();
    return made - idle + waiting > 0;
  };
  afterEach(async () => {
    for (const lane of open.splice(0)) await lane.close(1_000);
    // A number found absent would be left out by the next start.
    await sql`delete from wa_address`.execute(db);
  });

  async function arrange(options: LaneOptions = {}) {
    const accountId = await makeAccount(db);
    const connectionId = await makeConnection(db, accountId);
    const campaignId = await makeCampaign(db, accountId, { ...options, connectionId });
    await startNext(database);
    const clock = manualClock(options.start);
    const phone = scriptedTransport(options);
    const ended = vi.fn<LaneDeps["ended"]>();
    const owner = randomUUID();
    const waits: number[] = [];
    let runs = 0;

    async function run(asked: (name: string) => void = () => undefined): Promise<Lane> {
      const { resendsDoubts = true, mayAct = () => true } = options;
      const nth = runs++;
      const taken = await acquireConnection(db, connectionId, owner, resendsDoubts ? "resend" : "uncertain");
      const lane = new Lane({
        readFile: findOutgoing,
        connectionId,
        fence: taken?.fence ?? 0,
        clock,
        ended,
        log: testLog,
        resendsDoubts,
        db: theirs.db,
        prepared: (name, text, values) => {
          asked(name);
          return theirs.prepared(name, text, values);
        },
        transport: phone.transport,
        after: (ms, call) => {
          waits.push(ms);
          return clock.after(ms, call);
        },
        random: options.random ?? (() => 0.5),
        times: { ...LANE_TIMES, ...options.times },
        messageKey: KEY,
        figures: options.figures,
        mayAct: () => mayAct(nth),
        ownPhone: () => OWN_PHONE,
        changed: () => {},
      });
      open.push(lane);
      return lane;
    }

    /**
     * Advances the clock in small steps until the promise holds. During a database query it runs in real
     * time, or a slow database would be seconds late. `next`: from timer to timer.
     */
    async function until(holds: () => Promise<boolean> | boolean, step: number | "next" = 50): Promise<void> {
      await vi.waitFor(
        async () => {
          if (await holds()) return;
          const stepMs = step === "next" ? clock.untilNext() : step;
          clock.advance(waitsForDatabase() ? Math.min(stepMs, POLL_MS) : stepMs);
          throw new Error("not yet");
        },
        { timeout: 150_000, interval: POLL_MS },
      );
    }
    const ledger = () => readLedger(db, campaignId);
    const finishes = () => until(async () => (await ledger()).status === "ended");
    return {
      accountId,
      connectionId,
      campaignId,
      clock,
      phone,
      ended,
      waits,
      run,
      until,
      ledger,
      finishes,
      waitsForDatabase,
      owner: ownerOf(db, accountId),
      messageKey: KEY,
    };
  }

  return { arrange, open };
}
