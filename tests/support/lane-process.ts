import { sql } from "kysely";
import { afterEach } from "vitest";
import { systemClock } from "../../src/server/base/clock.ts";
import type { Database } from "../../src/server/db/client.ts";
import { findOutgoing } from "../../src/server/files/repo.ts";
import { FairQueues } from "../../src/server/jobs/fair-queue.ts";
import { LANE_TIMES, type LaneTimes } from "../../src/server/sending/ledger/timing.ts";
import { type Lanes, type LanesDeps, openLanes } from "../../src/server/sending/ownership/lanes.ts";
import type { LaneHost, LaneTransport, OpenTransport } from "../../src/server/transports/transport.ts";
import { type TestDatabase, testLog } from "./database.ts";
import { type Script, scriptedTransport } from "./scripted-transport.ts";

export const LANE_KEY = Buffer.alloc(32, 5);

export type ProcessOptions = Script & {
  resend?: "same-id" | "never";
  /**
   * Overrides of the scripted channel, by connection. Throwing: unreadable credentials; a promise: a slow
   * start.
   */
  device?: (host: LaneHost) => Partial<LaneTransport> | Promise<Partial<LaneTransport>>;
  /** How instances are reached; absent: this process leaves them to others. */
  instance?: (host: LaneHost) => Partial<LaneTransport>;
  times?: Partial<LaneTimes>;
  receipts?: LanesDeps["receipts"];
  outdated?: () => Promise<boolean>;
  oldestUnread?: LanesDeps["oldestUnread"];
  database?: Database;
};

/**
 * Processes that own lanes with a scripted channel, stopped after each test. Unsent messages are removed, or
 * they would count in the next test.
 */
export function laneProcesses({ database }: Pick<TestDatabase, "database">) {
  const running: Lanes[] = [];
  afterEach(async () => {
    for (const lanes of running.splice(0)) await lanes.close(1_000);
    await sql`update connection set desired = 'disconnected', state = 'disconnected'
      where desired = 'connected'`.execute(database.db);
  });

  return async function startProcess(options: ProcessOptions = {}) {
    const phone = scriptedTransport(options);
    const calls: string[] = [];
    const hosts = new Map<number, LaneHost>();
    const marked: string[] = [];
    const opener =
      (special: ProcessOptions["device"]): OpenTransport =>
      async (host) => {
        const own = (await special?.(host)) ?? {};
        hosts.set(host.connectionId, host);
        const note = (what: string) => void calls.push(`${what} ${host.connectionId}`);
        return {
          ...phone.transport,
          connect: async () => note("connect"),
          logout: async () => note("logout"),
          requestPairingCode: async () => note("code"),
          typing: async () => note("typing"),
          close: async () => note("close"),
          ...own,
        };
      };
    const lanes = await openLanes({
      readFile: findOutgoing,
      database: options.database ?? database,
      clock: systemClock,
      log: testLog,
      messageKey: LANE_KEY,
      queues: new FairQueues(systemClock),
      open: {
        device: opener(options.device),
        ...(options.instance ? { instance: opener(options.instance) } : {}),
      },
      messages: async () => undefined,
      random: () => 0.5,
      times: { ...LANE_TIMES, ...options.times },
      resend: options.resend ?? "same-id",
      ...(options.outdated ? { outdated: options.outdated } : {}),
      ...(options.receipts ? { receipts: options.receipts } : {}),
      ...(options.oldestUnread ? { oldestUnread: options.oldestUnread } : {}),
      mark: (accountId, topic) => void marked.push(`${topic} ${accountId}`),
    });
    running.push(lanes);
    return { lanes, phone, calls, hosts, marked };
  };
}
