import { sql } from "kysely";
import { afterAll, afterEach, vi } from "vitest";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import type { Db } from "../../src/server/db/client.ts";
import { readPrivateHosts } from "../../src/server/net/addresses.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import type { InstanceAccess, Profile } from "../../src/server/transports/gateway/access.ts";
import { openInstance } from "../../src/server/transports/gateway/instance.ts";
import type { InstanceTiming } from "../../src/server/transports/gateway/instance-deps.ts";
import type { LaneTransport, StateReport } from "../../src/server/transports/transport.ts";
import { testDatabase, testLog } from "./database.ts";
import {
  acquireConnection,
  laneHost,
  type SeededConnection,
  seedConnection,
  type TestLaneHost,
} from "./lane-host.ts";
import { manualClock } from "./manual-clock.ts";

type Options = Parameters<typeof startEvolution>[0];

export type LabInstance = {
  host: TestLaneHost;
  transport: LaneTransport;
  connection: SeededConnection;
  access: { now: InstanceAccess | null };
  profiles: Profile[];
  clock: ReturnType<typeof manualClock>;
  calls: string[];
  until(holds: () => boolean, stepMs?: number): Promise<void>;
  reported(wanted: (report: StateReport) => boolean, stepMs?: number): Promise<StateReport>;
  connected(stepMs?: number): Promise<StateReport>;
  pass(ms: number): Promise<void>;
  wish(): Promise<void>;
};

export async function instanceLab() {
  const { db } = await testDatabase();
  const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts("127.0.0.1") });
  const running: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.close();
  });
  afterAll(() => guardedFetch.close());

  async function gateway(options: Options = {}): Promise<Evolution> {
    const started = await startEvolution(options);
    running.push(started);
    return started;
  }

  async function instance(
    at: Evolution,
    settings: {
      number?: string;
      integration?: string;
      qrcode?: boolean;
      timing?: Partial<InstanceTiming>;
    } = {},
  ): Promise<LabInstance> {
    const { number, integration = "WHATSAPP-BAILEYS", qrcode = true, timing } = settings;
    await fetch(`${at.url}/instance/create`, {
      method: "POST",
      headers: { apikey: at.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ instanceName: "a", token: "token-of-a", number, integration, qrcode }),
    });
    const connection = await seedConnection(db, "a");
    await sql`update connection set kind = 'instance' where id = ${connection.connectionId}`.execute(db);
    const access = { baseUrl: at.url, apiKey: "token-of-a", name: "a", integration, number: number ?? null };
    return open(connection, access, timing);
  }

  async function open(
    connection: SeededConnection,
    known: InstanceAccess,
    timing: Partial<InstanceTiming> = {},
  ): Promise<LabInstance> {
    let busy = 0;
    const whileBusy = <T>(work: Promise<T>): Promise<T> => {
      busy += 1;
      return work.finally(() => busy--);
    };
    const host = laneHost(db, connection, await acquireConnection(db, connection.connectionId));
    const { report } = host;
    host.report = (state) => whileBusy(report(state));
    const clock = manualClock();
    const access: LabInstance["access"] = { now: known };
    const profiles: Profile[] = [];
    const calls: string[] = [];
    const transport = await openInstance({
      db,
      guardedFetch: {
        fetch: (url, request) => {
          const { pathname, search } = new URL(url);
          calls.push(`${request.method} ${pathname}${search}`);
          return whileBusy(guardedFetch.fetch(url, request));
        },
      },
      access: async () => access.now,
      noteProfile: async (_id, profile) => void profiles.push(profile),
      clock,
      random: () => 0,
      after: clock.after,
      log: testLog,
      timing,
    })(host);
    running.push(transport);

    async function until(holds: () => boolean, stepMs = 250): Promise<void> {
      await vi.waitFor(
        () => {
          if (holds()) return;
          if (busy === 0) clock.advance(stepMs);
          throw new Error(`${holds.toString().slice(0, 200)}: ${JSON.stringify(host.reports.slice(-3))}`);
        },
        { timeout: 60_000, interval: 4 },
      );
    }
    async function reported(wanted: (report: StateReport) => boolean, stepMs?: number): Promise<StateReport> {
      const nothing: StateReport = { state: "disconnected", cause: "nothing reported" };
      await until(() => wanted(host.reports.at(-1) ?? nothing), stepMs);
      return host.reports.at(-1) as StateReport;
    }
    return {
      host,
      transport,
      connection,
      access,
      profiles,
      clock,
      calls,
      until,
      reported,
      connected: (stepMs) => reported(({ state }) => state === "connected" && transport.ready(), stepMs),
      pass: async (ms) => {
        for (let passed = 0; passed < ms; passed += 250) {
          clock.advance(250);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      },
      wish: async () => {
        await wishConnected(db, connection.connectionId);
        await transport.connect();
      },
    };
  }

  async function linked(at: Evolution, settings?: Parameters<typeof instance>[1]): Promise<LabInstance> {
    const lab = await instance(at, settings);
    await lab.transport.connect();
    await lab.reported(({ state }) => state === "pending");
    await at.world.scan("a", { phone: "5511900000001", profileName: "Ana" });
    await lab.connected();
    return lab;
  }

  return { db, gateway, instance, open, linked };
}

async function wishConnected(db: Db, id: number): Promise<void> {
  await sql`update connection set desired = 'connected',
      state_reason = case when state = 'disconnected' then null else state_reason end,
      state = case when state = 'disconnected' then 'connecting' else state end
    where id = ${id}`.execute(db);
}
