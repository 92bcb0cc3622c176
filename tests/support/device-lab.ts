import { randomBytes } from "node:crypto";
import { afterAll, afterEach } from "vitest";
import { adoptSimulator } from "../../simulators/whatsapp/adopt.ts";
import { controlOf } from "../../simulators/whatsapp/control.ts";
import type { Control } from "../../simulators/whatsapp/control-answers.ts";
import { type Simulator, startSimulator } from "../../simulators/whatsapp/simulator.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import type { Database, Db } from "../../src/server/db/client.ts";
import { createSecrets, type Secrets } from "../../src/server/db/secrets.ts";
import { FairQueue } from "../../src/server/jobs/fair-queue.ts";
import { openDevice } from "../../src/server/transports/device/device.ts";
import type { DeviceTiming } from "../../src/server/transports/device/timing.ts";
import { loadWaVersion } from "../../src/server/transports/device/wa-version.ts";
import type {
  LaneTransport,
  OpenTransport,
  StateReport,
  WireMessage,
} from "../../src/server/transports/transport.ts";
import { testDatabase, testLog } from "./database.ts";
import {
  acquireConnection,
  laneHost,
  type SeededConnection,
  seedConnection,
  type TestLaneHost,
} from "./lane-host.ts";

/**
 * Waits that only cost time are short. Timeouts for WhatsApp are long, so that a busy machine does not
 * matter; tests of its silence set their own.
 */
const QUICK: Partial<DeviceTiming> = {
  ackTimeoutMs: 60_000,
  backoffMs: [20, 40, 80],
  leasePauseMs: 10,
  closeGraceMs: 1_000,
  receiptBatchMs: 5,
  pairingAnswerMs: 1_000,
  queryTimeoutMs: 60_000,
};

export type LabDevice = {
  host: TestLaneHost;
  transport: LaneTransport;
  connection: SeededConnection;
  reported(wanted: (report: StateReport) => boolean): Promise<StateReport>;
  connected(): Promise<StateReport>;
};

export type DeviceLab = {
  db: Db;
  database: Database;
  openDevice: OpenTransport;
  logins: FairQueue;
  simulator: Simulator;
  whatsapp: Control;
  secrets: Secrets;
  newDevice(digits: string, timing?: Partial<DeviceTiming>): Promise<LabDevice>;
  reopen(connection: SeededConnection, timing?: Partial<DeviceTiming>): Promise<LabDevice>;
  pairedDevice(digits: string, timing?: Partial<DeviceTiming>): Promise<LabDevice>;
};

export async function eventually<T>(ask: () => T | undefined | null | false, ms = 60_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const answer = ask();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`nothing came of ${ask.toString().slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function deviceLab(): Promise<DeviceLab> {
  const { db, database } = await testDatabase();
  const simulator = await startSimulator();
  adoptSimulator(simulator.address);
  const whatsapp = controlOf(simulator, () => undefined);
  const secrets = createSecrets(randomBytes(32).toString("base64"));
  const waVersion = await loadWaVersion({ db, clock: systemClock, log: testLog });
  const opened: LaneTransport[] = [];
  const logins = new FairQueue(
    { name: "device_logins", running: 4, runningOfAccount: 4, waitingOfAccount: 100 },
    systemClock,
  );

  const opener = (timing: Partial<DeviceTiming>): OpenTransport =>
    openDevice({
      database,
      secrets,
      clock: systemClock,
      random: () => 0,
      log: testLog,
      waVersion,
      logins,
      timing: { ...QUICK, ...timing },
    });

  async function reopen(
    connection: SeededConnection,
    timing: Partial<DeviceTiming> = {},
  ): Promise<LabDevice> {
    const host = laneHost(db, connection, await acquireConnection(db, connection.connectionId));
    const transport = await opener(timing)(host);
    opened.push(transport);
    const reported = (wanted: (report: StateReport) => boolean) =>
      eventually(() => host.reports.findLast(wanted));
    return {
      host,
      transport,
      connection,
      reported,
      connected: () => reported(({ state }) => state === "connected"),
    };
  }

  async function newDevice(digits: string, timing?: Partial<DeviceTiming>): Promise<LabDevice> {
    return reopen(await seedConnection(db, digits), timing);
  }

  async function pairedDevice(digits: string, timing?: Partial<DeviceTiming>): Promise<LabDevice> {
    const device = await newDevice(digits, timing);
    await device.transport.connect();
    const { qr } = await device.reported((report) => Boolean(report.qr));
    await whatsapp.scan({ qr: qr?.text ?? "", phone: digits });
    await device.connected();
    await eventually(() => device.transport.ready());
    return device;
  }

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((transport) => transport.close()));
    await whatsapp.faults({
      refuseNext: null,
      dropAcks: 0,
      delayAcks: null,
      cutBeforeAccept: 0,
      cutAfterAccept: 0,
      refuseUpgrades: null,
      failLogins: null,
      failQueries: null,
      delayQueries: null,
      bareLookups: null,
      failUploads: 0,
      cutUploads: 0,
      dripUploads: 0,
      refreshOnFirstScan: false,
      rejectPairingCode: false,
    });
  });
  afterAll(() => simulator.stop());
  return {
    db,
    database,
    openDevice: opener({}),
    simulator,
    whatsapp,
    logins,
    secrets,
    newDevice,
    reopen,
    pairedDevice,
  };
}

export function wireMessage(phone: string, text: string, messageId = messageIdForTest()): WireMessage {
  return {
    to: { jid: `${phone}@s.whatsapp.net`, lid: null },
    messageId,
    text,
    media: null,
    hasAttachment: false,
  };
}

const messageIdForTest = (): string => `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;
