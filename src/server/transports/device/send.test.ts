import { encodeBigEndian } from "baileys";
import sharp from "sharp";
import { expect, test } from "vitest";
import { deviceLab, eventually, type LabDevice, letter } from "../../../../tests/support/device-lab.ts";
import { deliverToAccount } from "../../../simulator/accounts.ts";
import { stanza } from "../../../simulator/stanza.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000500;
const digits = () => String(next++);
let person = 5511911120000;
const someone = () => String(person++);

async function sentTo(phone: string) {
  return (await whatsapp.messages({ to: phone, shown: false })).messages;
}

test("F9 a lost acknowledgement is a doubt; the same id again is the same message on the phone", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  const message = letter(to, "Uma vez só");
  await whatsapp.faults({ dropAcks: 1 });
  expect(await device.transport.send(message)).toEqual({ kind: "ambiguous", reason: "no_ack" });
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  const shown = await whatsapp.messages({ to, atLeast: 1 });
  expect(shown.messages).toMatchObject([{ id: message.messageId, frames: 2, shown: true, collapsed: true }]);
});

test("F10 an acknowledgement after the time limit is told as late truth", async () => {
  const device = await lab.pairedDevice(digits(), { ackTimeoutMs: 60 });
  await whatsapp.faults({ delayAcks: { ms: 200, count: 1 } });
  const message = letter(someone(), "Devagar");
  expect(await device.transport.send(message)).toMatchObject({ kind: "ambiguous" });
  await eventually(() =>
    device.host.received.find(
      ({ messageId, status }) => messageId === message.messageId && status === "accepted",
    ),
  );
});

test.each([
  ["cutAfterAccept", "taken, then the socket is cut"],
  ["cutBeforeAccept", "the socket is cut before it is taken"],
] as const)("F12 %s: a doubt, (%s) settled by the same id after the reconnection", async (fault, _title) => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const to = someone();
  const message = letter(to, "Depois do corte");
  await whatsapp.faults({ [fault]: 1 });
  expect(await device.transport.send(message)).toEqual({ kind: "ambiguous", reason: "connection_lost" });
  await eventually(() => device.transport.ready());
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  const { messages } = await whatsapp.messages({ to, atLeast: 1 });
  expect(messages).toMatchObject([{ id: message.messageId, shown: true }]);
});

test("F18 463 with a time-lock stops the channel until it ends, and the screen says so", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const until = Math.floor(Date.now() / 1000) + 3_600;
  const to = someone();
  await whatsapp.timelock({ phone, until });
  await whatsapp.people({ phones: [to], settings: { refusesWith: 463 } });
  expect(await device.transport.send(letter(to, "Frio"))).toEqual({
    kind: "stop",
    cause: "timelocked",
    retryAt: until * 1000,
  });
  const report = await device.reported(({ cause }) => cause === "timelocked");
  expect(report).toMatchObject({ state: "connected", causeUntil: new Date(until * 1000) });

  const stopped = { kind: "stop", cause: "timelocked", retryAt: until * 1000 };
  const other = someone();
  expect(await device.transport.send(letter(other, "Mais um"))).toEqual(stopped);
  expect(await device.transport.lookup?.(other)).toEqual(stopped);
  await device.transport.close();
  const restarted = await lab.reopen(device.connection);
  await restarted.transport.connect();
  expect(await restarted.connected()).toMatchObject({ cause: "timelocked" });
  expect(await restarted.transport.send(letter(other, "Mais um"))).toEqual(stopped);
  expect(await sentTo(other)).toEqual([]);
});

test("F18 463 without an end is shown without a date and not tried again for a day", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ refuseNext: { code: 463, count: 1 } });
  const outcome = await device.transport.send(letter(someone(), "Frio"));
  expect(outcome).toMatchObject({ kind: "stop", cause: "timelocked", retryAt: expect.any(Number) });
  if (outcome.kind !== "stop") throw new Error("not stopped");
  expect(Number(outcome.retryAt) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  expect(await device.reported(({ cause }) => cause === "timelocked")).toMatchObject({ causeUntil: null });
});

test("F14 429 slows the channel down, nobody is to blame", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ refuseNext: { code: 429, count: 1 } });
  const outcome = await device.transport.send(letter(someone(), "Rápido"));
  expect(outcome).toMatchObject({ kind: "stop", cause: "rate_limited" });
});

test("479 is asked about the devices anew and sent once more under the same id", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  await whatsapp.faults({ refuseNext: { code: 479, count: 1 } });
  const message = letter(to, "Aparelho novo");
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  expect(await sentTo(to)).toMatchObject([{ id: message.messageId, frames: 2, accepted: 1, shown: true }]);
  await whatsapp.faults({ refuseNext: { code: 479, count: 2 } });
  expect(await device.transport.send(letter(to, "De novo"))).toEqual({
    kind: "refused",
    code: "wa_479",
    passing: false,
  });
});

test("any other refusal is about this person and carries WhatsApp's code", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ refuseNext: { code: 500, count: 1 } });
  expect(await device.transport.send(letter(someone(), "Não"))).toEqual({
    kind: "refused",
    code: "wa_500",
    passing: false,
  });
});

test("nothing is sent without a connection, or when the lease is not fresh", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  device.host.mayAct = () => false;
  const to = someone();
  const stopped = { kind: "stop", cause: "not_connected", retryAt: null };
  expect(await device.transport.send(letter(to, "Oi"))).toEqual(stopped);
  expect(await device.transport.lookup?.(to)).toEqual(stopped);
  device.host.mayAct = () => true;
  await device.transport.close();
  expect(await device.transport.send(letter(to, "Oi"))).toEqual(stopped);
  expect(await sentTo(to)).toEqual([]);
});

test.each([
  ["usync", 500, { kind: "refused", code: "no_session", passing: true }],
  ["usync", 429, { kind: "stop", cause: "rate_limited" }],
  ["usync", null, { kind: "refused", code: "no_devices", passing: true }],
  ["encrypt", 404, { kind: "refused", passing: true }],
] as const)(
  "a question before the write that fails (%s, %s) proves that nothing left",
  async (namespace, code, outcome) => {
    const device = await lab.pairedDevice(digits(), { queryTimeoutMs: 300 });
    const to = someone();
    await whatsapp.faults({ failQueries: { namespace, code, count: 5 } });
    expect(await device.transport.send(letter(to, "Oi"))).toMatchObject(outcome);
    expect(await sentTo(to)).toEqual([]);
    await whatsapp.faults({ failQueries: null });
    expect(await device.transport.send(letter(to, "Oi"))).toMatchObject({ kind: "accepted" });
  },
);

test("a number without WhatsApp is refused before anything is sent", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  await whatsapp.people({ phones: [to], settings: { onWhatsApp: false } });
  expect(await device.transport.send(letter(to, "Oi"))).toMatchObject({
    kind: "refused",
    code: "no_devices",
  });
  expect((await whatsapp.messages({ from: device.connection.deviceId, shown: false })).messages).toEqual([]);
});

test("F19 lookup finds either form of the ninth digit, the given one first, and knows who is absent", async () => {
  const device = await lab.pairedDevice(digits());
  const withNinth = "5531987650001";
  await whatsapp.people({ phones: [withNinth], settings: { onWhatsApp: false } });
  expect(await device.transport.lookup?.(withNinth)).toMatchObject({
    kind: "found",
    address: { jid: "553187650001@s.whatsapp.net", lid: expect.stringMatching(/@lid$/) },
  });
  expect(await device.transport.lookup?.("5511987650002")).toMatchObject({
    address: { jid: "5511987650002@s.whatsapp.net" },
  });
  const nobody = ["5531987650003", "553187650003"];
  await whatsapp.people({ phones: nobody, settings: { onWhatsApp: false } });
  expect(await device.transport.lookup?.("5531987650003")).toEqual({ kind: "absent" });
  await whatsapp.faults({ failQueries: { namespace: "usync", code: 500, count: 1 } });
  expect(await device.transport.lookup?.("5511987650004")).toMatchObject({
    kind: "stop",
    cause: "lookup_failed",
  });
});

/** What a phone sends that could not open a message. */
function askAgain(device: LabDevice, to: string, messageId: string): void {
  const { world } = lab.simulator;
  const account = world.accounts.find(device.connection.deviceId);
  if (!account) throw new Error("no such account");
  const from = `${world.people.lidOf(to)}@lid`;
  deliverToAccount(
    account,
    stanza("receipt", { from, id: messageId, type: "retry", t: "1" }, [
      stanza("retry", { count: "1", id: messageId, t: "1", v: "1" }),
      stanza("registration", {}, encodeBigEndian(1)),
    ]),
  );
}

test("a phone that could not open a message gets it again from the database, also after a restart", async () => {
  const first = await lab.pairedDevice(digits());
  const to = someone();
  const message = letter(to, "Guardado no banco");
  expect(await first.transport.send(message)).toMatchObject({ kind: "accepted" });
  await first.transport.close();
  const second = await lab.reopen(first.connection);
  second.host.contents.set(message.messageId, message);
  await second.transport.connect();
  await eventually(() => second.transport.ready());
  askAgain(second, to, message.messageId);
  const end = performance.now() + 5_000;
  while ((await sentTo(to))[0]?.frames !== 2 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await sentTo(to)).toMatchObject([{ id: message.messageId, frames: 2, text: "Guardado no banco" }]);
});

test("an upload that fails is the channel's fault and leaves nobody with half a message", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ failUploads: 1 });
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#fff" } })
    .jpeg()
    .toBuffer();
  const image = { bytes, mime: "image/jpeg", width: 8, height: 8 };
  await expect(device.transport.upload?.(image)).rejects.toMatchObject({ cause: "upload_failed" });
  expect(await device.transport.upload?.(image)).toMatchObject({ imageMessage: expect.any(String) });
});

test("messages that people write are taken and ignored", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const from = someone();
  await whatsapp.write({ from, to: phone, text: "SAIR" });
  const message = letter(from, "Oi");
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  expect((await whatsapp.stats({})).problems).toEqual([]);
});

test("closing waits for the answer to what is on the wire", async () => {
  const device = await lab.pairedDevice(digits(), { ackTimeoutMs: 5_000 });
  await whatsapp.faults({ delayAcks: { ms: 150, count: 1 } });
  const sending = device.transport.send(letter(someone(), "Por último"));
  await device.transport.close();
  expect(await sending).toMatchObject({ kind: "accepted" });
});

test("F38 an ownership that ran out while the message was being prepared: nothing is written, the person is given back", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  let asked = 0;
  // Fresh when the send begins; questions to WhatsApp about the recipient may take longer than the lease lasts.
  device.host.mayAct = () => asked++ === 0;
  expect(await device.transport.send(letter(to, "Tarde demais"))).toEqual({
    kind: "stop",
    cause: "not_connected",
    retryAt: null,
  });
  device.host.mayAct = () => true;
  expect(await sentTo(to)).toEqual([]);
  expect(await device.transport.send(letter(to, "Agora sim"))).toMatchObject({ kind: "accepted" });
});
