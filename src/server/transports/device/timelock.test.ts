import { sql } from "kysely";
import { expect, test } from "vitest";
import { testLog } from "../../../../tests/support/database.ts";
import { deviceLab, eventually, type LabDevice, wireMessage } from "../../../../tests/support/device-lab.ts";
import { makeCampaign, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { callAfter, systemClock } from "../../base/clock.ts";
import { findOutgoing } from "../../files/repo.ts";
import { startNext } from "../../sending/campaigns/audience.ts";
import { Lane } from "../../sending/lane/lane.ts";
import { noteTalks } from "../../sending/ledger/known-conversations.ts";
import { LANE_TIMES } from "../../sending/ledger/timing.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000800;
const digits = () => String(next++);
let person = 5511911126000;
const someone = () => String(person++);

const PATIENCE = { timeout: 60_000, interval: 50 };

const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;
const sentTo = async (phone: string) => (await whatsapp.messages({ to: phone, shown: false })).messages;

async function notifyLifted({ connection }: LabDevice): Promise<void> {
  const { deviceId: phone } = connection;
  const account = lab.simulator.world.accounts.find(phone);
  if (!account) throw new Error("no such account");
  await whatsapp.timelock({ phone, until: null, notify: "only" });
  const [device] = account.devices.values();
  await expect.poll(() => device?.outbox.size).toBe(0);
}

const shownAs = (endless: boolean) => (endless ? "new_chats_refused" : "timelocked");

async function restricted(endless: boolean): Promise<LabDevice> {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await whatsapp.timelock({ phone, until: inAnHour(), endless });
  expect(await device.transport.send(wireMessage(someone(), "Frio"))).toMatchObject({
    cause: "new_conversation",
  });
  await device.reported(({ cause }) => cause === shownAs(endless));
  return device;
}

test.each([
  ["with", false],
  ["without", true],
])("F18 an old word of WhatsApp's does not end a newer restriction (%s an end)", async (_, endless) => {
  const device = await restricted(endless);
  await notifyLifted(device);
  const to = someone();
  expect(await device.transport.send(wireMessage(to, "Mais um"))).toMatchObject({
    cause: "new_conversation",
  });
  expect(await sentTo(to)).toEqual([]);
  expect(device.host.reports.at(-1)).toMatchObject({ cause: shownAs(endless) });
});

test.each([
  ["with", false],
  ["without", true],
])(
  "F18 a restriction (%s an end) outlives a process that ended while WhatsApp was away, and lasts no longer for it",
  async (_, endless) => {
    const device = await restricted(endless);
    const before = await device.transport.send(wireMessage(someone(), "Mais um"));
    await whatsapp.faults({ refuseUpgrades: { status: 503, count: 1_000 } });
    await whatsapp.cut({ phone: device.connection.deviceId });
    await device.reported(({ cause }) => cause === "network");
    await device.transport.close();
    await whatsapp.faults({ refuseUpgrades: null });
    const restarted = await lab.reopen(device.connection);
    await restarted.transport.connect();
    expect(await restarted.connected()).toMatchObject({ cause: shownAs(endless) });
    const to = someone();
    expect(await restarted.transport.send(wireMessage(to, "Mais um"))).toEqual(before);
    expect(await sentTo(to)).toEqual([]);
  },
);

test("F18 a restriction that WhatsApp announces holds new conversations before any is refused", async () => {
  const device = await lab.pairedDevice(digits());
  const { deviceId: phone } = device.connection;
  const until = inAnHour();
  await whatsapp.timelock({ phone, until, notify: "also" });
  const ends = new Date(until * 1000);
  expect(await device.reported(({ cause }) => cause === "timelocked")).toMatchObject({ causeUntil: ends });
  expect(device.transport.coldWaitsUntil?.()).toEqual(ends);
  const to = someone();
  expect(await device.transport.send(wireMessage(to, "Frio"))).toMatchObject({ cause: "new_conversation" });
  expect(await sentTo(to), "not tried").toEqual([]);
  await whatsapp.timelock({ phone, until: null, notify: "also" });
  await eventually(() => device.host.reports.at(-1)?.cause === null);
  expect(await device.transport.send(wireMessage(to, "Agora"))).toMatchObject({ kind: "accepted" });
});

test("F18 a restriction that WhatsApp lifts ends at once", async () => {
  const device = await restricted(false);
  await whatsapp.timelock({ phone: device.connection.deviceId, until: null });
  await notifyLifted(device);
  await eventually(() => device.host.reports.at(-1)?.cause === null);
  expect(await device.transport.send(wireMessage(someone(), "De novo"))).toMatchObject({ kind: "accepted" });
});

test("F18 a campaign goes on as soon as WhatsApp lifts the restriction, and not only when that should have ended", async () => {
  const device = await restricted(false);
  const { accountId, connectionId, deviceId: phone } = device.connection;
  const [to, known] = [someone(), someone()];
  const campaignId = await makeCampaign(lab.db, accountId, {
    people: 2,
    firstPhone: Number(to),
    connectionId,
  });
  await startNext(lab.database);
  await whatsapp.write({ from: known, to: phone, text: "oi" });
  await noteTalks(lab.db, connectionId, [{ names: [known], at: new Date(), answered: false }]);
  const lane = new Lane({
    readFile: findOutgoing,
    connectionId,
    fence: device.host.fence,
    transport: device.transport,
    db: lab.db,
    prepared: lab.database.prepared,
    clock: systemClock,
    after: callAfter,
    log: testLog,
    random: () => 0.5,
    times: LANE_TIMES,
    messageKey: Buffer.alloc(32, 5),
    resendsDoubts: true,
    mayAct: () => true,
    changed: () => undefined,
    ended: () => undefined,
  });
  await expect.poll(() => sentTo(known), PATIENCE).toHaveLength(1);
  expect((await readLedger(lab.db, campaignId)).rows[DELIVERY.pending], "the cold one waits").toBe(1);
  expect(await sentTo(to)).toEqual([]);
  await whatsapp.timelock({ phone, until: null });
  await notifyLifted(device);
  await expect.poll(() => sentTo(to), PATIENCE).toHaveLength(1);
  await lane.close(5_000);
});

test("F18 that a restriction was lifted is believed where WhatsApp does not answer", async () => {
  const device = await restricted(false);
  await whatsapp.timelock({ phone: device.connection.deviceId, until: null });
  await whatsapp.faults({ failQueries: { namespace: "w:mex", code: 500, count: 9 } });
  await notifyLifted(device);
  await eventually(() => device.host.reports.at(-1)?.cause === null);
});

test("F18 that one number was refused in a row is not held against the one that is linked after it", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ refuseNext: { code: 463, count: 5 } });
  for (let nth = 0; nth < 4; nth++) await device.transport.send(wireMessage(someone(), "Frio"));
  await device.reported(({ cause }) => cause === "new_chats_refused");
  await whatsapp.removeDevice({ phone: device.connection.deviceId });
  await device.reported(({ cause }) => cause === "logged_out");
  const before = device.host.reports.length;
  await sql`update connection set state = 'connecting', state_reason = null
    where id = ${device.connection.connectionId}`.execute(lab.db);
  await device.transport.connect();
  const { qr } = await eventually(() => device.host.reports.slice(before).find((report) => report.qr));
  const other = digits();
  await whatsapp.scan({ qr: qr?.text ?? "", phone: other });
  await eventually(() => device.host.reports.at(-1)?.cause === "other_number" && device.transport.ready());
  expect(await device.transport.send(wireMessage(someone(), "Frio"))).toMatchObject({ kind: "refused" });
});
