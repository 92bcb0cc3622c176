import pino from "pino";
import type { Clock } from "../src/domain/clock.ts";
import { openDatabase } from "../src/server/db/client.ts";
import { findOutgoing } from "../src/server/files/repo.ts";
import { Lane } from "../src/server/sending/lane/lane.ts";
import { LANE_TIMES } from "../src/server/sending/ledger/timing.ts";
import { acquireConnection } from "../src/server/sending/ownership/acquire.ts";
import type { Transport } from "../src/server/transports/transport.ts";
import { serveWorker } from "./worker.ts";

export type PaceRequest = {
  kind: "lanes" | "bare";
  connections: readonly number[];
  ticks: number;
  intervalMs: number;
  scale: number;
  blocked: boolean;
};
export type PaceAnswer = { left: number[][]; cpuS: number };

const ANSWER_MS = 50;
const OWNER = "00000000-0000-4000-8000-000000000001";

const [databaseUrl = ""] = process.argv.slice(2);
const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));
const database = openDatabase(databaseUrl, { log });

const clockOf = (scale: number): Clock => ({
  now: () => new Date(),
  monotonic: () => performance.now() * scale,
});

const after = (ms: number, call: () => void) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};

function channel(clock: Clock, left: number[], answers: boolean): Transport {
  return {
    takesOurIds: true,
    slots: 8,
    pairing: () => null,
    ready: () => true,
    readyFor: () => 3_600_000,
    onReady: () => () => undefined,
    async send({ messageId }) {
      left.push(clock.monotonic());
      await new Promise<void>((resolve) => {
        if (answers) setTimeout(resolve, ANSWER_MS);
      });
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
    close: async () => undefined,
  };
}

async function lanes({ connections, ticks, intervalMs, scale, blocked }: PaceRequest): Promise<number[][]> {
  const clock = clockOf(scale);
  const taken: { connectionId: number; fence: number }[] = [];
  for (const connectionId of connections) {
    const one = await acquireConnection(database.db, connectionId, OWNER, "resend");
    taken.push({ connectionId, fence: one?.fence ?? 0 });
  }
  const left = connections.map((): number[] => []);
  const running: Lane[] = [];
  for (const [at, { connectionId, fence }] of taken.entries()) {
    after((at / taken.length) * (intervalMs / scale), () => {
      const lane = new Lane({
        readFile: findOutgoing,
        connectionId,
        fence,
        db: database.db,
        prepared: database.prepared,
        log,
        clock,
        transport: channel(clock, left[at] ?? [], !(blocked && at === 0)),
        after: (ms, call) => after(ms / scale, call),
        random: Math.random,
        times: LANE_TIMES,
        messageKey: Buffer.alloc(32, 7),
        resendsDoubts: true,
        mayAct: () => true,
        changed: () => undefined,
        ended: (reason) => log.error({ reason }, "the lane ended"),
      });
      running.push(lane);
    });
  }
  await new Promise((resolve) => after(((ticks + 2) * intervalMs) / scale, () => resolve(null)));
  await Promise.all(running.map((lane) => lane.close(blocked ? 100 : 1_000)));
  return left;
}

async function bare({ connections, ticks, intervalMs }: PaceRequest): Promise<number[][]> {
  const clock = clockOf(1);
  return Promise.all(
    connections.map(async (_, at) => {
      const left: number[] = [];
      const first = clock.monotonic() + (at / connections.length) * intervalMs;
      for (let tick = 0; tick < ticks; tick++) {
        await new Promise((resolve) =>
          after(Math.max(0, first + tick * intervalMs - clock.monotonic()), () => resolve(null)),
        );
        left.push(clock.monotonic());
      }
      return left;
    }),
  );
}

serveWorker(
  async (request: PaceRequest): Promise<PaceAnswer> => {
    const used = process.cpuUsage();
    const left = await (request.kind === "bare" ? bare(request) : lanes(request));
    const { user, system } = process.cpuUsage(used);
    return { left, cpuS: (user + system) / 1e6 };
  },
  () => database.close(),
);
