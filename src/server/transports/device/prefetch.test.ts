import { expect, onTestFinished, test } from "vitest";
import { deviceLab, eventually, wireMessage } from "../../../../tests/support/device-lab.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000600;
const digits = () => String(next++);
let person = 5511911160000;
const someone = () => String(person++);

const refused = { kind: "stop", cause: "devices_refused", retryAt: null };

async function sentTo(phone: string) {
  return (await whatsapp.messages({ to: phone, shown: false })).messages;
}

test.each(["usync", "encrypt"])(
  "while WhatsApp's answer about a recipient (%s) is awaited, what they write is stored, and neither side's keys suffer",
  async (namespace) => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    const to = someone();
    const texts = () => device.host.messagesReceived.map(({ text }) => text);
    await whatsapp.clock({ hold: true });
    onTestFinished(async () => void (await whatsapp.clock({ hold: false })));
    await whatsapp.faults({ delayQueries: { namespace, ms: 5_000, count: 1 } });
    const message = wireMessage(to, "Depois da resposta");
    const sending = device.transport.send(message);
    await expect.poll(async () => (await whatsapp.faults({})).delayQueries).toBeNull();
    await whatsapp.write({ from: to, to: phone, text: "SAIR" });
    await eventually(() => texts().length === 1);
    expect(await sentTo(to)).toEqual([]);
    await whatsapp.clock({ advanceMs: 5_000 });
    expect(await sending).toMatchObject({ kind: "accepted" });
    expect(await sentTo(to)).toMatchObject([{ id: message.messageId, frames: 1, shown: true }]);
    await whatsapp.write({ from: to, to: phone, text: "Obrigada" });
    await eventually(() => texts().length === 2);
    expect(texts()).toEqual(["SAIR", "Obrigada"]);
    expect((await whatsapp.stats({})).problems).toEqual([]);
  },
);

test.each(["w:g2", "usync", "encrypt"])(
  "while WhatsApp's answer about a group (%s) is awaited, what its members write is stored, and nothing is asked twice",
  async (namespace) => {
    const phone = digits();
    const device = await lab.pairedDevice(phone);
    const member = someone();
    const { id } = await whatsapp.createGroup({ subject: "Vizinhos", members: [phone, member] });
    await whatsapp.clock({ hold: true });
    onTestFinished(async () => {
      await whatsapp.faults({ delayQueries: null });
      await whatsapp.clock({ hold: false });
    });
    await whatsapp.faults({ delayQueries: { namespace, ms: 5_000, count: 2 } });
    const sending = device.transport.send({
      ...wireMessage(member, "Oi a todos"),
      to: { jid: id, lid: null },
    });
    await expect.poll(async () => (await whatsapp.faults({})).delayQueries).toMatchObject({ count: 1 });
    await whatsapp.write({ from: member, to: phone, text: "SAIR" });
    await eventually(() => device.host.messagesReceived.some(({ text }) => text === "SAIR"));
    await whatsapp.clock({ advanceMs: 5_000 });
    expect(await sending).toMatchObject({ kind: "accepted" });
    expect((await whatsapp.faults({})).delayQueries).toMatchObject({ count: 1 });
    expect((await whatsapp.stats({})).problems).toEqual([]);
  },
);

test("479 refetches the devices and sends once more under the same id", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  await whatsapp.faults({ refuseNext: { code: 479, count: 1 } });
  const message = wireMessage(to, "Aparelho novo");
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  expect(await sentTo(to)).toMatchObject([{ id: message.messageId, frames: 2, accepted: 1, shown: true }]);
  await whatsapp.faults({ refuseNext: { code: 479, count: 2 } });
  expect(await device.transport.send(wireMessage(to, "De novo"))).toEqual(refused);
});

test("479 refetches our own devices as well", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const to = someone();
  const message = wireMessage(to, "Para todos os aparelhos");
  expect(await device.transport.send(wireMessage(to, "Antes"))).toMatchObject({ kind: "accepted" });
  const linked = await lab.pairedDevice(phone);
  await whatsapp.faults({ refuseNext: { code: 479, count: 1 } });
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  await eventually(() => linked.host.messagesReceived.some((one) => one.providerId === message.messageId));
});

test("479 for one person after another blames the number: no one is refused until a message arrives", async () => {
  const device = await lab.pairedDevice(digits());
  const causes = () => device.host.reports.map(({ cause }) => cause ?? null);
  await whatsapp.faults({ refuseNext: { code: 479, count: 10 } });
  const one = wireMessage(someone(), "Oi");
  for (let nth = 0; nth < 3; nth++) expect(await device.transport.send(one)).toEqual(refused);
  for (let nth = 0; nth < 2; nth++)
    expect(await device.transport.send(wireMessage(someone(), "Oi"))).toEqual(refused);
  expect(causes()).not.toContain("devices_refused");
  await whatsapp.faults({ refuseNext: { code: 479, count: 2 } });
  expect(await device.transport.send(wireMessage(someone(), "Oi"))).toEqual(refused);
  expect(await device.reported(({ cause }) => cause === "devices_refused")).toMatchObject({
    state: "connected",
  });
  expect(await device.transport.send(one)).toMatchObject({ kind: "accepted" });
  await eventually(() => causes().at(-1) === null);
});
