import { expect, test } from "vitest";
import { deviceLab, eventually, type LabDevice, wireMessage } from "../../../../tests/support/device-lab.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000900;
const digits = () => String(next++);

const PATIENCE_MS = 60_000;

async function sends(device: LabDevice): Promise<void> {
  await eventually(() => device.transport.ready(), PATIENCE_MS);
  expect(await device.transport.send(wireMessage("5511911110900", "Oi"))).toMatchObject({ kind: "accepted" });
}

const lastReport = (device: LabDevice) => device.host.reports.at(-1);

test("F38 an ownership that ran out while it connected: it does not log in beside its successor", async () => {
  const phone = digits();
  const first = await lab.pairedDevice(phone);
  await first.transport.close();
  const logins: string[] = [];
  const { events } = lab.simulator.world;
  const note = (who: string) => void logins.push(who);
  events.on("login", note);
  const frozen = await lab.reopen(first.connection);
  let asked = 0;
  frozen.host.mayAct = () => asked++ < 2;
  await frozen.transport.connect();
  await frozen.reported(({ cause }) => cause === "network");
  const successor = await lab.reopen(first.connection);
  await successor.transport.connect();
  await successor.connected();
  expect(logins.filter((who) => who === phone)).toHaveLength(1);
  events.off("login", note);
});

test("a login we gave up that reaches WhatsApp after the next one is ours: the device reconnects, once", async () => {
  const phone = digits();
  const first = await lab.pairedDevice(phone);
  await first.transport.close();
  await whatsapp.faults({ failLogins: { code: null, count: 1, phone } });
  const device = await lab.reopen(first.connection, { connectTimeoutMs: 2_000 });
  await device.transport.connect();
  await eventually(() => device.host.reports.some(({ cause }) => cause === "network"), PATIENCE_MS);
  await eventually(() => lastReport(device)?.state === "connected", PATIENCE_MS);
  const reports = device.host.reports.length;
  await whatsapp.endStream({ phone, code: 440 });
  await eventually(
    () => device.host.reports.slice(reports).some(({ state }) => state === "connected"),
    PATIENCE_MS,
  );
  await sends(device);
  await whatsapp.endStream({ phone, code: 440 });
  await eventually(() => device.host.losses() > 0);
  expect(lastReport(device)).toMatchObject({ state: "disconnected", cause: "replaced" });
});

test("a login not sent because ownership was uncertain explains no later one: a replacement comes from outside", async () => {
  const phone = digits();
  const first = await lab.pairedDevice(phone);
  await first.transport.close();
  const device = await lab.reopen(first.connection);
  let asked = 0;
  device.host.mayAct = () => asked++ < 2;
  await device.transport.connect();
  await device.reported(({ cause }) => cause === "network");
  device.host.mayAct = () => true;
  await eventually(() => device.transport.ready(), PATIENCE_MS);
  await whatsapp.endStream({ phone, code: 440 });
  await eventually(() => device.host.losses() > 0);
  expect(lastReport(device)).toMatchObject({ state: "disconnected", cause: "replaced" });
});

test("logged in without any word about pending messages: it reconnects and sends", async () => {
  const phone = digits();
  const first = await lab.pairedDevice(phone);
  await first.transport.close();
  await whatsapp.faults({ failQueries: { namespace: "passive", code: 503, count: 1 } });
  const device = await lab.reopen(first.connection, { catchUpMs: 2_000 });
  await device.transport.connect();
  await device.connected();
  await sends(device);
});
