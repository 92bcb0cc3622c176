import type { WASocket } from "baileys";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testLog } from "../../../../tests/support/database.ts";
import { deviceLab, eventually, type LabDevice, wireMessage } from "../../../../tests/support/device-lab.ts";
import { manualClock } from "../../../../tests/support/manual-clock.ts";
import { NewChatQuota, readQuota } from "./new-chats.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000920;
const digits = () => String(next++);
let person = 5511911128000;
const someone = () => String(person++);

const NOW = new Date("2026-12-01T12:00:00Z");
const END = 1_797_217_200;
const ANSWER = {
  total_quota: 100,
  used_quota: 63,
  cycle_end_timestamp: String(END),
  capping_status: "FIRST_WARNING",
};
const READ = {
  total: 100,
  used: 63,
  capped: false,
  until: new Date(END * 1000).toISOString(),
  readAt: NOW.toISOString(),
};
const inADay = () => Math.floor(Date.now() / 1000) + 86_400;

const shows = ({ host }: LabDevice, wanted: { total: number; used: number } | null) =>
  eventually(() => {
    const quota = host.reports.at(-1)?.newChats;
    return wanted ? quota?.total === wanted.total && quota.used === wanted.used : quota === null;
  });

test.each([
  ["figures", ANSWER, READ],
  ["figures as text", { ...ANSWER, total_quota: "100", used_quota: "63" }, READ],
  ["a cap", { ...ANSWER, capping_status: "CAPPED" }, { ...READ, capped: true }],
  ["-1, no cap", { ...ANSWER, total_quota: -1 }, null],
  ["-1 as text", { ...ANSWER, total_quota: "-1" }, null],
  ["0, which is no quota", { ...ANSWER, total_quota: 0 }, null],
  ["no use", { ...ANSWER, used_quota: null }, null],
  ["an unknown use", { ...ANSWER, used_quota: -1 }, null],
  ["no end", { ...ANSWER, cycle_end_timestamp: null }, null],
  ["an end that is no time", { ...ANSWER, cycle_end_timestamp: "9".repeat(30) }, null],
  ["an old cycle", { ...ANSWER, cycle_end_timestamp: "1764000000" }, null],
  ["nothing", null, null],
  ["words", "none", null],
])("the answer is read: %s", (_, answer, read) => {
  expect(readQuota(answer, NOW)).toEqual(read);
});

test("WhatsApp is asked at once when the number is ready, then every hour, and not while it is not", async () => {
  const clock = manualClock();
  let asked = 0;
  const sock = { fetchNewChatMessageCap: async () => ({ ...ANSWER, used_quota: ++asked }) };
  const read: (number | undefined)[] = [];
  const quota = new NewChatQuota({
    open: () => sock as unknown as WASocket,
    screen: { newChats: (one) => read.push(one?.used) },
    clock: { now: () => NOW },
    after: clock.after,
    everyMs: 3_600_000,
    log: testLog,
  });
  const round = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async (minutes: number) => {
    clock.advance(minutes * 60_000);
    await round();
  };
  quota.follow(true);
  quota.follow(true);
  await round();
  expect(read).toEqual([1]);
  await pass(59);
  expect(read).toEqual([1]);
  await pass(1);
  await pass(60);
  expect(read).toEqual([1, 2, 3]);
  quota.follow(false);
  await pass(120);
  expect(read).toEqual([1, 2, 3]);
});

test("what arrives for a socket that is no longer the number's is not reported", async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const sock = { fetchNewChatMessageCap: () => promise };
  let open: unknown = sock;
  const read: unknown[] = [];
  const quota = new NewChatQuota({
    open: () => open as WASocket | null,
    screen: { newChats: (one) => read.push(one) },
    clock: { now: () => NOW },
    after: () => () => undefined,
    everyMs: 1,
    log: testLog,
  });
  quota.ask();
  open = null;
  resolve(ANSWER);
  await new Promise((resolved) => setImmediate(resolved));
  expect(read).toEqual([]);
});

async function withQuota(total: number, used: number): Promise<LabDevice> {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await shows(device, null);
  await whatsapp.quota({ phone, total, used, until: inADay() });
  await whatsapp.cut({ phone });
  await shows(device, { total, used });
  return device;
}

test("a number without a quota has an unknown one, and once WhatsApp has one it is read at the next connection", async () => {
  const device = await withQuota(50, 12);
  expect(device.host.reports.at(-1)).toMatchObject({ state: "connected", cause: null });
});

test("a refusal while the quota is used up holds new people until its cycle ends, or WhatsApp allows more", async () => {
  const device = await withQuota(50, 48);
  const outcome = async () => (await device.transport.send(wireMessage(someone(), "Frio"))).kind;
  expect([await outcome(), await outcome()]).toEqual(["accepted", "accepted"]);
  expect(device.host.reports.at(-1)?.newChats).toMatchObject({ used: 48 });
  const to = someone();
  const stopped = { kind: "stop", cause: "new_conversation" };
  expect(await device.transport.send(wireMessage(to, "Frio"))).toMatchObject(stopped);
  await shows(device, { total: 50, used: 50 });
  const { newChats } = device.host.reports.at(-1) ?? {};
  expect(newChats).toMatchObject({ capped: true });
  expect(device.transport.coldWaitsUntil?.()).toEqual(new Date(newChats?.until ?? ""));
  expect(await device.transport.lookup?.(to)).toMatchObject(stopped);
  const { deviceId: phone } = device.connection;
  await whatsapp.quota({ phone, total: 60, used: 50, until: inADay(), notify: true });
  await shows(device, { total: 60, used: 50 });
  expect(device.transport.coldWaitsUntil?.()).toBeNull();
  expect(await device.transport.send(wireMessage(to, "Frio"))).toMatchObject({ kind: "accepted" });
});

test("the quota is asked for again and again, when WhatsApp announces a change and when a campaign begins", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone, { newChatsMs: 200 });
  await whatsapp.quota({ phone, total: 50, used: 1, until: inADay() });
  await shows(device, { total: 50, used: 1 });
  await device.transport.close();
  const other = await withQuota(50, 2);
  const { deviceId } = other.connection;
  await whatsapp.quota({ phone: deviceId, total: 50, used: 3, until: inADay(), notify: true });
  await shows(other, { total: 50, used: 3 });
  await whatsapp.quota({ phone: deviceId, total: 50, used: 4, until: inADay() });
  other.transport.campaignBegins?.();
  await shows(other, { total: 50, used: 4 });
});

const failing = (code: number | null) => () =>
  whatsapp.faults({ failQueries: { namespace: "w:mex", code, count: 1 } });

test.each([
  ["an error", failing(500)],
  ["no answer", failing(null)],
  ["-1", (phone: string) => whatsapp.quota({ phone, total: null })],
])("%s makes the quota unknown, and says nothing about the number", async (_, change) => {
  const phone = digits();
  const device = await lab.pairedDevice(phone, { queryTimeoutMs: 1_000 });
  await whatsapp.quota({ phone, total: 50, used: 5, until: inADay() });
  device.transport.campaignBegins?.();
  await shows(device, { total: 50, used: 5 });
  await change(phone);
  device.transport.campaignBegins?.();
  await shows(device, null);
  expect(device.host.reports.at(-1)).toMatchObject({ state: "connected", cause: null });
  expect(device.transport.ready()).toBe(true);
});

test("a restart leaves what is stored until WhatsApp answers; a new pairing forgets it at once", async () => {
  const device = await withQuota(50, 6);
  const { connectionId, deviceId: phone } = device.connection;
  await device.transport.close();
  const restarted = await lab.reopen(device.connection);
  await whatsapp.faults({ delayQueries: { namespace: "w:mex", ms: 600_000, count: 1 } });
  await restarted.transport.connect();
  expect((await restarted.connected()).newChats).toBeUndefined();
  await whatsapp.faults({ delayQueries: null });
  restarted.transport.campaignBegins?.();
  await whatsapp.cut({ phone });
  await shows(restarted, { total: 50, used: 6 });
  await whatsapp.removeDevice({ phone });
  const ended = await restarted.reported(({ cause }) => cause === "logged_out");
  expect(ended.newChats).toBeNull();
  await sql`update connection set state = 'connecting', state_reason = null where id = ${connectionId}`.execute(
    lab.db,
  );
  await restarted.transport.connect();
  const { qr } = await restarted.reported((report) => Boolean(report.qr));
  const before = restarted.host.reports.length;
  await whatsapp.quota({ phone, total: null });
  await whatsapp.scan({ qr: qr?.text ?? "", phone });
  await eventually(() => restarted.transport.ready());
  for (const { newChats } of restarted.host.reports.slice(before)) expect(newChats).toBeNull();
});
