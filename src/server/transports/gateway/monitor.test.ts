import { expect, test } from "vitest";
import { testLog } from "../../../../tests/support/database.ts";
import { manualClock } from "../../../../tests/support/manual-clock.ts";
import { AppError } from "../../../domain/errors.ts";
import type { StateReport } from "../transport.ts";
import type { EvolutionClient } from "./evolution-client.ts";
import { BAILEYS } from "./instance-calls.ts";
import { INSTANCE_TIMING } from "./instance-deps.ts";
import type { GatewayInstance } from "./instance-rows.ts";
import { InstanceScreen } from "./instance-screen.ts";
import { Monitor } from "./monitor.ts";
import type { ConnectAnswer } from "./shapes.ts";

const MINUTE = 60_000;

function followed(number: string | null = null, serverKey: string | null = null) {
  const gateway = {
    state: "open",
    connect: { kind: "none", count: 0 } as ConnectAnswer,
    rows: true,
    refuses: false,
    ill: false,
  };
  const stateOf = () => {
    if (gateway.refuses) throw new AppError("gateway_wrong_key");
    return gateway.state;
  };
  const asked: string[] = [];
  const answers = <T>(call: string, answer: () => T) => {
    asked.push(call);
    return Promise.resolve().then(answer);
  };
  const row = {
    name: "a",
    ownerJid: "5511900000001@s.whatsapp.net",
    phone: "5511900000001",
    storedState: "open",
    endedBy: null,
  };
  const rowsOf = (there: boolean) => {
    if (gateway.ill) throw new AppError("gateway_database", { status: 500 });
    if (!there) throw new AppError("gateway_unreachable", { reason: "timeout", sent: true });
    return [row as GatewayInstance];
  };
  const client = {
    connectionState: () => answers("state", stateOf),
    fetchInstances: () => answers("row", () => rowsOf(gateway.rows)),
    connect: () => answers("connect", () => gateway.connect),
  } as unknown as EvolutionClient;
  const clock = manualClock();
  const reports: StateReport[] = [];
  const access = {
    baseUrl: "http://127.0.0.1:1",
    apiKey: "k",
    name: "a",
    integration: BAILEYS,
    number,
    serverKey,
  };
  const host = { connectionId: 1, mayAct: () => true };
  const screen = new InstanceScreen({ say: (report) => void reports.push(report) });
  const monitor = new Monitor({
    host,
    clock,
    after: clock.after,
    random: () => 0,
    log: testLog,
    timing: INSTANCE_TIMING,
    access: async () => access,
    clientOf: () => client,
    noteProfile: async () => undefined,
    screen,
    setReady: () => undefined,
    flush: async () => undefined,
    lastSeen: async () => ({
      state: "connected",
      cause: null,
      until: null,
      pairing: "5511900000001@s.whatsapp.net",
    }),
  });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 250) {
      clock.advance(250);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const connects = () => asked.filter((call) => call === "connect").length;
  return { gateway, asked, host, monitor, screen, pass, connects, shown: () => reports.at(-1), reports };
}

test("a session that its gateway does not bring back by itself is asked for, and goes on where it was", async () => {
  const one = followed();
  await one.monitor.connect();
  await one.pass(MINUTE);
  expect([one.shown()?.state, one.connects()]).toEqual(["connected", 0]);
  one.gateway.state = "close";
  one.monitor.poke();
  await one.pass(20_000);
  expect([one.shown()?.state, one.connects()]).toEqual(["connecting", 0]);
  await one.pass(20_000);
  expect([one.shown()?.state, one.connects()]).toEqual(["connecting", 1]);
  one.gateway.state = "open";
  await one.pass(10_000);
  expect([one.shown()?.state, one.connects()]).toEqual(["connected", 1]);
});

test.each<[string, ConnectAnswer]>([
  ["a code to scan", { kind: "qr", code: "2@abc", pairingCode: null, base64: null }],
  ["a code to type", { kind: "pairing", pairingCode: "ABCD1234" }],
])(
  "a reconnect answered with %s means that the session ended: it is reported, and no code is shown",
  async (_, connect) => {
    const one = followed();
    await one.monitor.connect();
    await one.pass(1_000);
    Object.assign(one.gateway, { state: "close", connect });
    one.monitor.poke();
    await one.pass(MINUTE);
    expect(one.shown()).toMatchObject({ state: "disconnected", cause: "ended_there" });
    await one.pass(20 * MINUTE);
    expect(one.connects()).toBe(1);
    expect(one.reports.map(({ state }) => state)).not.toContain("pending");
  },
);

test("who is not certain to own it asks its gateway nothing, and says nothing of it", async () => {
  const one = followed();
  one.host.mayAct = () => false;
  await one.monitor.connect();
  await one.pass(MINUTE);
  expect([one.asked, one.reports]).toEqual([[], []]);
  one.host.mayAct = () => true;
  await one.pass(1_000);
  expect(one.shown()).toMatchObject({ state: "connected" });
});

test("what its lane waits for is said while it is open, and again when it comes back", async () => {
  const one = followed();
  one.screen.holds("rate_limited", true);
  await one.monitor.connect();
  await one.pass(1_000);
  expect(one.shown()).toMatchObject({ state: "connected", cause: "rate_limited" });
  one.gateway.state = "close";
  one.monitor.poke();
  await one.pass(20_000);
  one.screen.holds("catching_up", true);
  expect(one.shown()).toMatchObject({ state: "connecting", cause: "network" });
  one.gateway.state = "open";
  await one.pass(20_000);
  expect(one.shown()).toMatchObject({ state: "connected", cause: "catching_up" });
  one.screen.holds("catching_up", false);
  one.screen.holds("rate_limited", false);
  expect(one.shown()).toMatchObject({ state: "connected", cause: null });
});

test("that another phone than the named one is linked is still said where its row cannot be read for once", async () => {
  const one = followed("5511955554444");
  await one.monitor.connect();
  await one.pass(MINUTE);
  expect(one.shown()).toMatchObject({ state: "connected", cause: "other_number" });
  one.gateway.rows = false;
  const looked = one.asked.length;
  one.monitor.poke();
  await one.pass(MINUTE);
  expect(one.asked.length).toBeGreaterThan(looked);
  expect(one.reports.map(({ cause }) => cause)).toEqual(["other_number"]);
});

test("26.22 a server whose database is away for seconds is no refused key, and is well again within 15 s", async () => {
  for (const serverKey of ["global", null]) {
    const one = followed(null, serverKey);
    await one.monitor.connect();
    await one.pass(1_000);
    Object.assign(one.gateway, { refuses: true, ill: true });
    one.monitor.refused("wrong_key");
    await one.pass(25_000);
    expect(one.shown()).toMatchObject({ state: "disconnected", cause: "server_errors" });
    Object.assign(one.gateway, { refuses: false, ill: false });
    await one.pass(15_000);
    expect(one.shown()).toMatchObject({ state: "connected", cause: null });
    expect(one.reports.map(({ cause }) => cause)).not.toContain("wrong_key");
  }
});

test("26.22 a token that its healthy server refuses is said to be refused", async () => {
  const one = followed(null, "global");
  await one.monitor.connect();
  await one.pass(1_000);
  one.gateway.refuses = true;
  one.monitor.poke();
  await one.pass(2_000);
  expect(one.shown()).toMatchObject({ state: "disconnected", cause: "wrong_key" });
  const asked = one.asked.length;
  await one.pass(MINUTE);
  expect(one.asked, "and not asked about again and again").toHaveLength(asked);
});

test("26.22 where the server cannot be asked otherwise, the key is called refused after two minutes, and still tried", async () => {
  const one = followed();
  await one.monitor.connect();
  await one.pass(1_000);
  one.gateway.refuses = true;
  one.monitor.poke();
  await one.pass(MINUTE);
  expect(one.shown()).toMatchObject({ cause: "server_errors" });
  await one.pass(2 * MINUTE);
  expect(one.shown()).toMatchObject({ cause: "wrong_key" });
  one.gateway.refuses = false;
  await one.pass(15_000);
  expect(one.shown()).toMatchObject({ state: "connected" });
});
