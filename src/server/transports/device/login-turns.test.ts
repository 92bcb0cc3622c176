import { expect, onTestFinished, test } from "vitest";
import { deviceLab, eventually } from "../../../../tests/support/device-lab.ts";

const lab = await deviceLab();
const PLACES = 4;

function occupy(places: number): () => void {
  const gone = Promise.withResolvers<void>();
  onTestFinished(() => gone.resolve());
  for (let n = 0; n < places; n++) void lab.logins.run("another account", () => gone.promise);
  return gone.resolve;
}

test("F4c a device logs in when its account's turn comes", async () => {
  const device = await lab.newDevice("5511987650001");
  const end = occupy(PLACES);
  await device.transport.connect();
  await device.reported(({ state }) => state === "connecting");
  expect(lab.logins.figures()).toMatchObject({ running: PLACES, waiting: 1 });
  expect(device.host.reports.some(({ qr }) => qr)).toBe(false);
  end();
  await device.reported((report) => Boolean(report.qr));
});

test("F4c a device whose code is on the screen, and one that is connected, keep no other waiting", async () => {
  const shown = await lab.newDevice("5511987650002");
  await shown.transport.connect();
  await shown.reported((report) => Boolean(report.qr));
  await lab.pairedDevice("5511987650003");
  await eventually(() => lab.logins.figures().running === 0);
});

test("F4c a login that takes long keeps its turn for a while only", async () => {
  const phone = "5511987650004";
  const first = await lab.pairedDevice(phone);
  await first.transport.close();
  await lab.whatsapp.faults({ failLogins: { code: null, count: 1, phone } });
  const device = await lab.reopen(first.connection, { loginTurnMs: 2_000, connectTimeoutMs: 60_000 });
  await device.transport.connect();
  await device.reported(({ state }) => state === "connecting");
  expect(lab.logins.figures().running).toBe(1);
  await eventually(() => lab.logins.figures().running === 0);
  expect(device.host.reports.at(-1)).toMatchObject({ state: "connecting" });
});

test("F4c who closes a device, or wants its session ended, while it waits leaves the turn to others", async () => {
  const [closed, loggedOut] = [await lab.newDevice("5511987650005"), await lab.newDevice("5511987650006")];
  const end = occupy(PLACES);
  for (const { transport } of [closed, loggedOut]) await transport.connect();
  expect(lab.logins.figures().waiting).toBe(2);
  await closed.transport.close();
  await loggedOut.transport.logout();
  expect(lab.logins.figures().waiting).toBe(0);
  end();
  await loggedOut.reported(({ cause }) => cause === "disconnected_by_user");
  for (const { host } of [closed, loggedOut]) expect(host.reports.some(({ qr }) => qr)).toBe(false);
});
