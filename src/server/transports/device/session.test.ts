import { Curve, WA_CERT_DETAILS } from "baileys";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { stanza } from "../../../../simulators/whatsapp/stanza.ts";
import { deviceLab, eventually, type LabDevice, wireMessage } from "../../../../tests/support/device-lab.ts";
import { acquireConnection } from "../../../../tests/support/lane-host.ts";
import { unhurried } from "../../../../tests/support/waiting.ts";

const lab = await deviceLab();
const { db, whatsapp } = lab;

let next = 5511900000100;
const digits = () => String(next++);

async function linked(phone: string) {
  const { accounts } = await whatsapp.accounts({});
  return accounts.find((account) => account.phone === phone)?.devices;
}

/** Poll it: WhatsApp's side of a closed socket ends after ours. */
const online = async (phone: string) => (await linked(phone))?.some((device) => device.online) ?? false;

async function stored(device: LabDevice): Promise<{ creds: number; keys: number }> {
  const { connectionId } = device.connection;
  const { rows } = await sql<{ creds: number; keys: number }>`
    select (select count(*)::int from device_creds where connection_id = ${connectionId}) as creds,
      (select count(*)::int from device_key where connection_id = ${connectionId}) as keys`.execute(db);
  return rows[0] ?? { creds: -1, keys: -1 };
}

async function requestAgain(device: LabDevice): Promise<void> {
  await sql`update connection set state = 'connecting', state_reason = null where id = ${device.connection.connectionId}`.execute(
    db,
  );
  await device.transport.connect();
}

async function sends(device: LabDevice): Promise<void> {
  await eventually(() => device.transport.ready());
  expect(await device.transport.send(wireMessage("5511911110100", "Oi"))).toMatchObject({ kind: "accepted" });
}

async function rests(device: LabDevice, cause: string): Promise<void> {
  await device.transport.connect();
  await device.transport.close();
  expect(device.host.reports.at(-1)).toMatchObject({ state: "disconnected", cause });
  const again = await lab.reopen(device.connection);
  await again.transport.connect();
  await again.transport.close();
  expect(again.host.reports).toEqual([]);
}

const lastReport = (device: LabDevice) => device.host.reports.at(-1);

describe("linking", () => {
  test("a code typed on the phone links as the QR does", async () => {
    const phone = digits();
    const device = await lab.newDevice(phone);
    await device.transport.connect();
    await device.transport.requestPairingCode();
    const { pairingCode } = await device.reported((report) => Boolean(report.pairingCode));
    expect(pairingCode?.text).toMatch(/^[0-9A-Z]{8}$/);
    await whatsapp.typeCode({ code: pairingCode?.text ?? "", phone });
    await device.connected();
    await sends(device);
  });

  test("a code that is asked for while an ended pairing is being forgotten comes after it, and stays", async () => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    const reports = device.host.reports.length;
    await unhurried(db, async (tx) => {
      await sql`select from connection where id = ${device.connection.connectionId} for update`.execute(tx);
      await whatsapp.removeDevice({ phone });
      await eventually(() => device.transport.pairing() === null);
      await device.transport.requestPairingCode();
      await sql`select 1`.execute(tx);
    });
    await eventually(() => lastReport(device)?.pairingCode);
    const states = device.host.reports.slice(reports).map(({ state }) => state);
    expect([states[0], states.lastIndexOf("disconnected")]).toEqual(["disconnected", 0]);
  });

  test("a code that is asked for where a phone is linked already takes nothing away from it", async () => {
    const device = await lab.pairedDevice(digits());
    const pairing = device.transport.pairing();
    await device.transport.requestPairingCode();
    expect(device.transport.pairing()).toBe(pairing);
    await sends(device);
    expect((await stored(device)).creds).toBe(1);
  });

  test("a refused code says so, and a new QR still links", async () => {
    await whatsapp.faults({ rejectPairingCode: true });
    const phone = digits();
    const device = await lab.newDevice(phone, { pairingAnswerMs: 60_000 });
    await device.transport.connect();
    await device.transport.requestPairingCode();
    await device.reported(({ cause }) => cause === "pairing_refused");
    const { qr } = await device.reported(
      (report) => report.cause === "pairing_refused" && Boolean(report.qr),
    );
    expect(device.host.reports.every((report) => !report.pairingCode)).toBe(true);
    await whatsapp.scan({ qr: qr?.text ?? "", phone });
    await device.connected();
  });

  test("WhatsApp renews the secret while linking: the next QR carries the new one and links", async () => {
    await whatsapp.faults({ refreshOnFirstScan: true });
    const phone = digits();
    const device = await lab.newDevice(phone);
    await device.transport.connect();
    const first = (await device.reported((report) => Boolean(report.qr))).qr?.text ?? "";
    await whatsapp.scan({ qr: first, phone }).catch(() => undefined);
    const second = (await device.reported(({ qr }) => Boolean(qr) && qr?.text !== first)).qr?.text ?? "";
    await whatsapp.scan({ qr: second, phone });
    await device.connected();
    await sends(device);
  });

  test("the codes expire unscanned, it rests, and a request brings new ones", async () => {
    const device = await lab.newDevice(digits(), { qrMs: 20 });
    await device.transport.connect();
    await device.reported(({ cause }) => cause === "qr_expired");
    expect(new Set(device.host.reports.flatMap(({ qr }) => (qr ? [qr.text] : []))).size).toBe(6);
    const before = device.host.reports.length;
    await device.transport.connect();
    expect(device.host.reports.length).toBe(before);
    await requestAgain(device);
    await eventually(() => device.host.reports.slice(before).find(({ qr }) => qr));
  });

  test("another phone than the one named scans: it works and says so", async () => {
    const device = await lab.newDevice(digits());
    await device.transport.connect();
    const { qr } = await device.reported((report) => Boolean(report.qr));
    await whatsapp.scan({ qr: qr?.text ?? "", phone: digits() });
    expect(await device.connected()).toMatchObject({ cause: "other_number" });
  });

  test("a server whose certificates another root signed is not talked to", async () => {
    const genuine = WA_CERT_DETAILS.PUBLIC_KEY;
    Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: Buffer.from(Curve.generateKeyPair().public) });
    try {
      const device = await lab.newDevice(digits());
      await device.transport.connect();
      await device.reported(({ cause }) => cause === "untrusted_server");
      expect(device.host.reports.every(({ qr }) => !qr)).toBe(true);
    } finally {
      Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: genuine });
    }
  });
});

describe("staying", () => {
  test("F16 a cut socket comes back by itself and sends on", async () => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    const reports = device.host.reports.length;
    await whatsapp.cut({ phone });
    await eventually(() => device.host.reports.slice(reports).find(({ cause }) => cause === "network"));
    await eventually(() => lastReport(device)?.state === "connected");
    await sends(device);
  });

  test("a restart goes on with the stored keys, without a new QR", async () => {
    const phone = digits();
    const first = await lab.pairedDevice(phone);
    await sends(first);
    const pairing = first.transport.pairing();
    await first.transport.close();
    await expect.poll(() => online(phone)).toBe(false);
    const second = await lab.reopen(first.connection);
    await second.transport.connect();
    await second.connected();
    expect(second.host.reports.every(({ qr }) => !qr)).toBe(true);
    expect(second.transport.pairing()).toBe(pairing);
    await sends(second);
    const { messages } = await whatsapp.messages({ from: phone, atLeast: 2 });
    expect(messages.every(({ shown, undecryptable }) => shown && undecryptable === 0)).toBe(true);
  });

  test("F45 credentials stored a moment ago survive the end of the process", async () => {
    const phone = digits();
    const first = await lab.newDevice(phone);
    await first.transport.connect();
    const { qr } = await first.reported((report) => Boolean(report.qr));
    await whatsapp.scan({ qr: qr?.text ?? "", phone });
    await first.connected();
    const second = await lab.reopen(first.connection);
    await second.transport.connect();
    await second.connected();
    expect(second.host.reports.every((report) => !report.qr)).toBe(true);
  });

  test("the ownership was taken away: keys are refused, the socket ends, nothing is written over the successor's", async () => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    await sends(device);
    await acquireConnection(db, device.connection.connectionId);
    await device.transport.send(wireMessage("5511911110177", "Oi"));
    await eventually(() => device.host.losses() > 0);
    await expect.poll(() => online(phone)).toBe(false);
  });

  test("a dead link is noticed and replaced", async () => {
    const phone = digits();
    const device = await lab.pairedDevice(phone, { keepAliveMs: 100, closeGraceMs: 100 });
    const reports = device.host.reports.length;
    await whatsapp.silence({ phone, silent: true });
    await eventually(() => device.host.reports.slice(reports).find(({ state }) => state === "connected"));
  });
});

describe("what a socket meets", () => {
  async function markDirty(phone: string, type: string): Promise<void> {
    const { events, sessions } = lab.simulator.world;
    const asked = new Promise<void>((resolve) => {
      events.on("stanza", ({ attrs }) => {
        if (attrs.xmlns === "w:g2") resolve();
      });
    });
    const session = [...sessions].find(({ login }) => login?.account.phone === phone);
    session?.send(stanza("ib", { from: "s.whatsapp.net" }, [stanza("dirty", { type })]));
    await asked;
  }

  async function unhandledDuring(act: () => Promise<void>): Promise<unknown[]> {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", note);
    try {
      await act();
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("unhandledRejection", note);
    }
    return unhandled;
  }

  test.each(["groups", "communities"])(
    "Baileys' own question about %s is refused: it is the device's alone",
    async (type) => {
      const phone = digits();
      const device = await lab.pairedDevice(phone);
      await whatsapp.faults({ failQueries: { namespace: "w:g2", code: 429, count: 1 } });
      const unhandled = await unhandledDuring(async () => {
        await markDirty(phone, type);
        await sends(device);
      });
      expect(unhandled).toEqual([]);
    },
  );

  test("Baileys' own question is open when the socket is cut: the device comes back and sends", async () => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    await whatsapp.faults({ failQueries: { namespace: "w:g2", code: null, count: 1 } });
    const reports = device.host.reports.length;
    const unhandled = await unhandledDuring(async () => {
      await markDirty(phone, "groups");
      await whatsapp.cut({ phone });
      await eventually(() => device.host.reports.slice(reports).find(({ state }) => state === "connected"));
      await sends(device);
    });
    expect(unhandled).toEqual([]);
  });

  test.each([302, 401, 403, 503])(
    "HTTP %i in place of a socket is an error of the network: it connects again with its keys",
    async (status) => {
      const phone = digits();
      const device = await lab.pairedDevice(phone);
      const pairing = device.transport.pairing();
      const reports = device.host.reports.length;
      await whatsapp.faults({ refuseUpgrades: { status, count: 2 } });
      await whatsapp.cut({ phone });
      await eventually(() => device.host.reports.slice(reports).find(({ state }) => state === "connected"));
      const causes = new Set(device.host.reports.slice(reports).map(({ cause }) => cause));
      expect(causes).toEqual(new Set(["network", null]));
      expect(device.transport.pairing()).toBe(pairing);
      expect((await stored(device)).creds).toBe(1);
      await sends(device);
    },
  );

  test("a login that is never answered is given up and tried again", async () => {
    const phone = digits();
    const first = await lab.pairedDevice(phone);
    await first.transport.close();
    await whatsapp.faults({ failLogins: { code: null, count: 1, phone } });
    const device = await lab.reopen(first.connection, { connectTimeoutMs: 1_000 });
    await device.transport.connect();
    await device.reported(({ cause }) => cause === "network");
    await eventually(() => lastReport(device)?.state === "connected");
    await sends(device);
  });
});

describe("closing codes", () => {
  test("F17 401 removed on the phone: the keys are deleted, it rests, and a new QR links again", async () => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    const pairing = device.transport.pairing();
    await eventually(() => device.transport.ready());
    await whatsapp.removeDevice({ phone });
    await device.reported(({ state, cause }) => state === "disconnected" && cause === "logged_out");
    expect(await stored(device)).toEqual({ creds: 0, keys: 0 });
    await device.transport.connect();
    expect(lastReport(device)).toMatchObject({ cause: "logged_out" });
    const reports = device.host.reports.length;
    await requestAgain(device);
    const { qr } = await eventually(() => device.host.reports.slice(reports).find((report) => report.qr));
    await whatsapp.scan({ qr: qr?.text ?? "", phone });
    await eventually(() => lastReport(device)?.state === "connected");
    expect(device.transport.pairing()).not.toBe(pairing);
    await sends(device);
  });

  test.each([
    [402, "temp_banned"],
    [403, "banned"],
    [406, "banned"],
  ])("%i banned: it stops, keeps its keys, and does not knock again by itself", async (code, cause) => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    const before = Date.now();
    await whatsapp.faults({ failLogins: { code, count: 1, phone, expire: 3_600 } });
    await whatsapp.cut({ phone });
    const latest = await device.reported(
      (latest) => latest.state === "disconnected" && latest.cause === cause,
    );
    await rests(device, cause);
    if (cause === "banned") expect(latest.causeUntil).toBeNull();
    else expect(latest.causeUntil?.getTime()).toBeGreaterThanOrEqual(before + 3_600_000);
    expect((await stored(device)).creds).toBe(1);
    const again = await lab.reopen(device.connection);
    await requestAgain(again);
    await eventually(() => lastReport(again)?.state === "connected");
  });

  test("405 outdated: the version is refetched and the device reconnects", async () => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    await whatsapp.faults({ failLogins: { code: 405, count: 1, phone } });
    await whatsapp.cut({ phone });
    await device.reported(({ cause }) => cause === "client_outdated");
    await eventually(() => lastReport(device)?.state === "connected");
    await sends(device);
  });

  test("F17 440 in use elsewhere: the ownership is given up and it does not fight", async () => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    await whatsapp.endStream({ phone, code: 440 });
    await eventually(() => device.host.losses() > 0);
    expect(lastReport(device)).toMatchObject({ state: "disconnected", cause: "replaced" });
    await rests(device, "replaced");
    await expect.poll(() => online(phone)).toBe(false);
  });

  test.each([500, 503, 515])("F17 stream error %i: it connects again", async (code) => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    const reports = device.host.reports.length;
    await whatsapp.endStream({ phone, code });
    await eventually(() => device.host.reports.slice(reports).find(({ state }) => state === "connected"));
    await sends(device);
  });

  test.each([500, 503])("a login refused with %i is tried again after the back-off", async (code) => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    const reports = device.host.reports.length;
    await whatsapp.faults({ failLogins: { code, count: 2, phone } });
    await whatsapp.cut({ phone });
    await eventually(() => device.host.reports.slice(reports).find(({ state }) => state === "connected"));
  });
});

test("ending the session tells WhatsApp, forgets the keys and says who wanted it", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await device.transport.logout();
  await eventually(() => lastReport(device)?.cause === "disconnected_by_user");
  expect(await stored(device)).toEqual({ creds: 0, keys: 0 });
  await expect.poll(() => linked(phone)).toEqual([]);
  expect(device.transport.pairing()).toBeNull();
});
