import { createHash, randomBytes } from "node:crypto";
import sharp from "sharp";
import { expect, test } from "vitest";
import { deviceLab, eventually, wireMessage } from "../../../../tests/support/device-lab.ts";
import { outgoingFile } from "../../../../tests/support/outgoing-file.ts";
import type { OutgoingFile } from "../transport.ts";
import { lastsAt } from "./content.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

test("a phone scans the QR code and the device sends, with the acknowledgement as proof and receipts after it", async () => {
  const device = await lab.pairedDevice("5511900000001");
  const message = wireMessage("5511911110001", "Olá Maria");
  const outcome = await device.transport.send(message);
  expect(outcome).toMatchObject({ kind: "accepted", providerId: message.messageId });
  const { messages } = await whatsapp.messages({ to: "5511911110001", atLeast: 1 });
  expect(messages).toMatchObject([{ id: message.messageId, text: "Olá Maria", shown: true, frames: 1 }]);
  await eventually(() => device.host.received.find(({ status }) => status === "delivered"));
  await whatsapp.receipts({
    from: "5511911110001",
    to: "5511900000001",
    ids: [message.messageId],
    type: "read",
  });
  const read = await eventually(() => device.host.received.find(({ status }) => status === "read"));
  expect(read.messageId).toBe(message.messageId);
});

test("an image is uploaded once and arrives whole with each message", async () => {
  const device = await lab.pairedDevice("5511900000002");
  const bytes = await sharp({ create: { width: 640, height: 400, channels: 3, background: "#0a7" } })
    .jpeg()
    .toBuffer();
  const before = (await whatsapp.stats({})).uploads;
  const media = await device.transport.upload?.(outgoingFile(bytes, { width: 640, height: 400 }));
  const stored: unknown = JSON.parse(JSON.stringify(media));
  for (const phone of ["5511911110002", "5511911110003"]) {
    const message = { ...wireMessage(phone, `Oferta para ${phone}`), media: stored, hasAttachment: true };
    expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
    const image = await whatsapp.image({ to: phone, id: message.messageId });
    expect(Buffer.from(image.base64, "base64").equals(bytes)).toBe(true);
    const { messages } = await whatsapp.messages({ to: phone, atLeast: 1 });
    expect(messages).toMatchObject([{ text: `Oferta para ${phone}`, image: { width: 640, height: 400 } }]);
  }
  expect((await whatsapp.stats({})).uploads).toBe(before + 1);
});

let file = 0;

test.for<[string, Partial<OutgoingFile>, string, object, string | null]>([
  [
    "a video",
    { kind: "video", mime: "video/mp4", width: 64, height: 48, seconds: 3 },
    "Veja",
    { kind: "video", seconds: 3 },
    "Veja",
  ],
  [
    "a sound",
    { kind: "audio", mime: "audio/mpeg", seconds: 7 },
    "",
    { kind: "audio", voice: false, seconds: 7 },
    null,
  ],
  [
    "a voice note",
    { kind: "voice", mime: "audio/ogg; codecs=opus", seconds: 2 },
    "",
    { kind: "audio", voice: true, seconds: 2 },
    null,
  ],
  [
    "a document",
    { kind: "document", mime: "application/pdf", name: "boleto.pdf" },
    "",
    { kind: "document", fileName: "boleto.pdf" },
    null,
  ],
  [
    "a document with a caption",
    { kind: "document", mime: "application/pdf", name: "maio.pdf" },
    "Segue",
    { kind: "document", fileName: "maio.pdf" },
    "Segue",
  ],
])("%s arrives as such, byte by byte", async ([, facts, text, seen, said]) => {
  const device = await lab.pairedDevice("5511900000031");
  const bytes = randomBytes(70_000);
  const media = await device.transport.upload?.(outgoingFile(bytes, facts));
  const stored: unknown = JSON.parse(JSON.stringify(media));
  const phone = `55119111${String(10_100 + file++)}`;
  const message = { ...wireMessage(phone, text), media: stored, hasAttachment: true };
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  const { messages } = await whatsapp.messages({ to: phone, atLeast: 1 });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(messages).toMatchObject([{ text: said, file: { ...seen, mimetype: facts.mime, sha256 } }]);
});

test("an uploaded image is referred to for a week, and no longer than WhatsApp keeps it", async () => {
  const device = await lab.pairedDevice("5511900000003");
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#fff" } })
    .jpeg()
    .toBuffer();
  const media = await device.transport.upload?.(outgoingFile(bytes));
  const stored: unknown = JSON.parse(JSON.stringify(media));
  const lastsIn = (days: number) => lastsAt(new Date(Date.now() + days * 86_400_000), stored);
  expect(device.transport.lasts?.(stored)).toBe(true);
  expect([0, 6, 8, 30].map(lastsIn)).toEqual([true, true, false, false]);
});

test("an outage that a new process meets goes on: it did not begin with the process", async () => {
  const phone = "5511900000004";
  const first = await lab.pairedDevice(phone);
  await whatsapp.faults({ refuseUpgrades: { status: 503, count: 1_000 } });
  await whatsapp.cut({ phone });
  await first.reported(({ cause }) => cause === "network");
  await first.transport.close();
  const device = await lab.reopen(first.connection);
  await device.transport.connect();
  await eventually(() => device.host.reports.length > 2);
  const outage = { state: "connecting", cause: "network" };
  expect(device.host.reports.slice(0, 3)).toMatchObject([outage, outage, outage]);
  await whatsapp.faults({ refuseUpgrades: null });
  expect(await device.connected()).toMatchObject({ cause: null });
});
