import { encodeBigEndian } from "baileys";
import sharp from "sharp";
import { expect, test } from "vitest";
import { deliverToAccount } from "../../../../simulators/whatsapp/accounts.ts";
import { stanza } from "../../../../simulators/whatsapp/stanza.ts";
import { deviceLab, eventually, type LabDevice, wireMessage } from "../../../../tests/support/device-lab.ts";
import { outgoingFile } from "../../../../tests/support/outgoing-file.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000750;
const digits = () => String(next++);
let person = 5511911125000;
const someone = () => String(person++);

async function sentTo(phone: string) {
  return (await whatsapp.messages({ to: phone, shown: false })).messages;
}

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
  const message = wireMessage(to, "Guardado no banco");
  expect(await first.transport.send(message)).toMatchObject({ kind: "accepted" });
  await first.transport.close();
  const second = await lab.reopen(first.connection);
  second.host.contents.set(message.messageId, message);
  await second.transport.connect();
  await eventually(() => second.transport.ready());
  askAgain(second, to, message.messageId);
  await expect.poll(async () => (await sentTo(to))[0]?.frames).toBe(2);
  expect(await sentTo(to)).toMatchObject([{ id: message.messageId, frames: 2, text: "Guardado no banco" }]);
});

test("a picture is sent again as well while the database has not yet heard that the device is linked", async () => {
  const first = await lab.pairedDevice(digits());
  const to = someone();
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#fff" } })
    .jpeg()
    .toBuffer();
  const media = await first.transport.upload?.(outgoingFile(bytes));
  const message = { ...wireMessage(to, "Veja"), media, hasAttachment: true };
  expect(await first.transport.send(message)).toMatchObject({ kind: "accepted" });
  const uploadedUnder = first.transport.pairing();
  await first.transport.close();
  const second = await lab.reopen(first.connection);
  const { report } = second.host;
  const stored = Promise.withResolvers<void>();
  second.host.report = async (state) => {
    await stored.promise;
    return report(state);
  };
  second.host.contentOf = async (id, pairing) =>
    id === message.messageId && pairing === uploadedUnder ? message : null;
  try {
    await second.transport.connect();
    await eventually(() => second.transport.ready());
    askAgain(second, to, message.messageId);
    await expect.poll(async () => (await sentTo(to))[0]?.frames).toBe(2);
    expect(second.host.reports).toEqual([]);
  } finally {
    stored.resolve();
  }
});
