import { expect, onTestFinished, test, vi } from "vitest";
import {
  openBareClient,
  pairBareClient,
  whenCaughtUp,
  whenOpen,
} from "../../../../simulators/whatsapp/bare-client.ts";
import { testLog } from "../../../../tests/support/database.ts";
import { deviceLab, eventually, type LabDevice, wireMessage } from "../../../../tests/support/device-lab.ts";
import type { IncomingMessage } from "../transport.ts";
import { Messages } from "./messages.ts";

const lab = await deviceLab();
const { whatsapp } = lab;
const MARIA = "5511911110400";
const MARIA_LID = `7${MARIA}@lid`;
const MARIA_JID = `${MARIA}@s.whatsapp.net`;

let next = 5511900000400;
const digits = () => String(next++);

async function waiting(phone: string): Promise<number> {
  const { accounts } = await whatsapp.accounts({});
  return accounts.find((account) => account.phone === phone)?.devices[0]?.waiting ?? -1;
}

const textsOf = ({ host }: LabDevice) => host.messagesReceived.map(({ text }) => text);
const arrived = (device: LabDevice, count: number) =>
  eventually(() => device.host.messagesReceived.length >= count && device.host.messagesReceived);

function holdStoring({ host }: LabDevice) {
  const store = host.messages;
  const allowed = Promise.withResolvers<void>();
  const gate = { asked: 0, open: allowed.resolve };
  host.messages = async (batch) => {
    gate.asked += 1;
    await allowed.promise;
    await store(batch);
  };
  return gate;
}

async function thereAndBack(device: LabDevice): Promise<void> {
  expect(await device.transport.lookup?.(MARIA)).toMatchObject({ kind: "found" });
}

test("a text from an unknown person arrives with number and LID, once", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await whatsapp.people({ phones: [MARIA], settings: { name: "Maria" } });
  const before = Date.now();
  const { id } = await whatsapp.write({ from: MARIA, to: phone, text: "Oi, tudo bem?" });
  const after = Date.now();
  const [message] = await arrived(device, 1);
  expect(message).toMatchObject({
    providerId: id,
    fromMe: false,
    viaApi: false,
    pushName: "Maria",
    participant: null,
    kind: "text",
    text: "Oi, tudo bem?",
    quotedId: null,
    file: null,
  });
  expect(message?.chat.toSorted()).toEqual([MARIA_JID, MARIA_LID].toSorted());
  expect(message?.at.getTime()).toBeGreaterThan(before - 1_000);
  expect(message?.at.getTime()).toBeLessThanOrEqual(after);
  await expect.poll(() => waiting(phone)).toBe(0);
  for (const text of ["um", "dois", "três"]) {
    expect(await device.transport.send(wireMessage(MARIA, `re: ${text}`))).toMatchObject({
      kind: "accepted",
    });
    await whatsapp.write({ from: MARIA, to: phone, text });
  }
  await arrived(device, 4);
  expect(textsOf(device)).toEqual(["Oi, tudo bem?", "um", "dois", "três"]);
  const { messages } = await whatsapp.messages({ to: MARIA, from: phone, atLeast: 3 });
  expect(messages.map(({ text }) => text)).toEqual(["re: um", "re: dois", "re: três"]);
  expect((await whatsapp.stats({})).problems).toEqual([]);
});

test("of a view-once message, which WhatsApp hides from linked devices, the existence is reported", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await whatsapp.people({ phones: [MARIA], settings: { name: "Maria" } });
  const { id } = await whatsapp.write({ from: MARIA, to: phone, seenOnce: true });
  await whatsapp.write({ from: MARIA, to: phone, text: "Viu?" });
  const [message, after] = await arrived(device, 2);
  expect(message).toMatchObject({
    providerId: id,
    kind: "other",
    text: "",
    fromMe: false,
    pushName: "Maria",
  });
  expect(message?.chat.toSorted()).toEqual([MARIA_JID, MARIA_LID].toSorted());
  expect(after).toMatchObject({ kind: "text", text: "Viu?" });
  await expect.poll(() => waiting(phone)).toBe(0);
});

test("a message to a person's broadcast list is theirs, as on the phone", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const { id } = await whatsapp.write({ from: MARIA, to: phone, text: "Cardápio de hoje", toList: true });
  const [message] = await arrived(device, 1);
  expect(message).toMatchObject({
    providerId: id,
    fromMe: false,
    participant: null,
    text: "Cardápio de hoje",
    toMany: true,
  });
  expect(message?.chat.toSorted()).toEqual([MARIA_JID, MARIA_LID].toSorted());
  await expect.poll(() => waiting(phone)).toBe(0);
  expect(await device.transport.send(wireMessage(MARIA, "Quero um"))).toMatchObject({ kind: "accepted" });
  await whatsapp.write({ from: MARIA, to: phone, text: "Já vai" });
  await arrived(device, 2);
  expect(textsOf(device)).toEqual(["Cardápio de hoje", "Já vai"]);
  expect((await whatsapp.stats({})).problems).toEqual([]);
});

test("an edit, which WhatsApp seals with the secret of what it changes, says what that says now", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const { id } = await whatsapp.write({ from: MARIA, to: phone, text: "Sair não" });
  await arrived(device, 1);
  await whatsapp.edit({ from: MARIA, to: phone, id, text: "SAIR" });
  const [, edit] = await arrived(device, 2);
  expect(edit).toMatchObject({ kind: "text", text: "SAIR", edits: id, fromMe: false });
  await expect.poll(() => waiting(phone)).toBe(0);
});

test("messages of a group name the group and who wrote", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const { id: group } = await whatsapp.createGroup({ subject: "Vizinhos", members: [phone, MARIA] });
  for (const text of ["um", "dois", "três"]) await whatsapp.writeToGroup({ from: MARIA, group, text });
  const messages = await arrived(device, 3);
  expect(messages.map(({ chat, participant, text }) => [chat, participant, text])).toEqual(
    ["um", "dois", "três"].map((text) => [[group], MARIA_JID, text]),
  );
  expect(await device.transport.groupSubject?.(group)).toBe("Vizinhos");
  await expect.poll(() => waiting(phone)).toBe(0);
});

test("what the owner types on the phone arrives as their own, in the right chat", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const { id: group } = await whatsapp.createGroup({ subject: "Vizinhos", members: [phone, MARIA] });
  await whatsapp.typeOnPhone({ phone, to: MARIA, text: "respondo do celular" });
  await whatsapp.typeOnPhone({ phone, to: group, text: "a todos" });
  const [direct, shared] = await arrived(device, 2);
  expect(direct).toMatchObject({ fromMe: true, viaApi: false, pushName: null, text: "respondo do celular" });
  expect(direct?.chat.toSorted()).toEqual([MARIA_JID, MARIA_LID].toSorted());
  expect(shared).toMatchObject({ fromMe: true, chat: [group], participant: null, text: "a todos" });
  await expect.poll(() => waiting(phone)).toBe(0);
});

test("what was written while we were away arrives at the next login, before the device calls itself ready", async () => {
  const phone = digits();
  const first = await lab.pairedDevice(phone);
  await first.transport.close();
  for (let i = 0; i < 70; i++) await whatsapp.write({ from: MARIA, to: phone, text: `m${i}` });
  const second = await lab.reopen(first.connection);
  const gate = holdStoring(second);
  await second.transport.connect();
  await second.connected();
  await eventually(() => gate.asked > 0);
  expect(await waiting(phone)).toBe(70);
  expect(second.transport.ready()).toBe(false);
  gate.open();
  await eventually(() => second.transport.ready());
  expect(textsOf(second)).toEqual(Array.from({ length: 70 }, (_, i) => `m${i}`));
  await expect.poll(() => waiting(phone)).toBe(0);
});

test("a message is acknowledged once it is stored, and not before", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await expect.poll(() => waiting(phone)).toBe(0);
  const gate = holdStoring(device);
  await whatsapp.write({ from: MARIA, to: phone, text: "oi" });
  await eventually(() => gate.asked > 0);
  await thereAndBack(device);
  expect(await waiting(phone)).toBe(1);
  gate.open();
  await expect.poll(() => waiting(phone)).toBe(0);
  expect(textsOf(device)).toEqual(["oi"]);
});

test.each([
  ["before it was stored", false],
  ["between the storing and the commit of its keys", true],
])("killed %s, a message comes again and can still be read", async (_, storedFirst) => {
  const phone = digits();
  const first = await lab.pairedDevice(phone);
  await whatsapp.write({ from: MARIA, to: phone, text: "primeira" });
  await expect.poll(() => waiting(phone)).toBe(0);
  const store = first.host.messages;
  let refused = 0;
  first.host.messages = async (batch) => {
    if (storedFirst) await store(batch);
    refused += 1;
    throw new Error("killed");
  };
  await whatsapp.write({ from: MARIA, to: phone, text: "segunda" });
  await whatsapp.write({ from: MARIA, to: phone, text: "terceira" });
  await eventually(() => refused > 0);
  await first.transport.close();
  expect(await waiting(phone)).toBe(2);
  const second = await lab.reopen(first.connection);
  await second.transport.connect();
  await arrived(second, 2);
  expect(textsOf(second)).toEqual(["segunda", "terceira"]);
  await whatsapp.write({ from: MARIA, to: phone, text: "quarta" });
  await arrived(second, 3);
  expect(textsOf(second).at(-1)).toBe("quarta");
  await expect.poll(() => waiting(phone)).toBe(0);
});

test("a database that is away for a while loses nothing and changes no order", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone, { receiptRetryMs: 20 });
  const store = device.host.messages;
  let faults = 3;
  device.host.messages = async (batch) => {
    faults -= 1;
    if (faults >= 0) throw new Error("the database is away");
    await store(batch);
  };
  for (const text of ["um", "dois", "três"]) await whatsapp.write({ from: MARIA, to: phone, text });
  await arrived(device, 3);
  expect(textsOf(device)).toEqual(["um", "dois", "três"]);
  await expect.poll(() => waiting(phone)).toBe(0);
});

test.each([
  ["whose addresses these are", "lid-mapping"],
  ["the keys that open it", "pre-key"],
])("a message is not lost to a database that cannot say %s for a moment", async (_, kind) => {
  const phone = digits();
  const { connection, transport } = await lab.pairedDevice(phone);
  await transport.close();
  const device = await lab.reopen(connection, { receiptRetryMs: 5 });
  await device.transport.connect();
  await eventually(() => device.transport.ready());
  const { prepared } = lab.database;
  let failed = 0;
  const spy = vi.spyOn(lab.database, "prepared").mockImplementation(async (name, text, values) => {
    if (name === "device_keys_get" && values[1] === kind && failed++ === 0)
      throw Object.assign(new Error("cut"), { code: "ECONNRESET" });
    return prepared(name, text, values);
  });
  onTestFinished(() => spy.mockRestore());
  await whatsapp.write({ from: MARIA, to: phone, text: "SAIR" });
  await expect.poll(() => waiting(phone)).toBe(0);
  expect(failed).toBeGreaterThan(0);
  expect(textsOf(device)).toEqual(["SAIR"]);
});

test("one message that the database refuses for good does not hold up the others", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone, { receiptRetryMs: 5 });
  const store = device.host.messages;
  device.host.messages = async (batch) => {
    if (batch.some(({ text }) => text === "venenosa"))
      throw Object.assign(new Error("bad"), { code: "22021" });
    await store(batch);
  };
  for (const text of ["um", "venenosa", "três"]) await whatsapp.write({ from: MARIA, to: phone, text });
  await arrived(device, 2);
  expect(textsOf(device)).toEqual(["um", "três"]);
  await expect.poll(() => waiting(phone)).toBe(0);
});

async function bareIntake(messages: (batch: IncomingMessage[]) => Promise<void>) {
  const phone = digits();
  const paired = await pairBareClient((qr) => whatsapp.scan({ qr, phone }));
  paired.end();
  const client = openBareClient(paired.store);
  onTestFinished(() => client.end());
  const tracked = new Messages({
    host: { messages },
    log: testLog,
    keyFailures: () => 0,
    batchMs: 1,
    retryMs: 1,
  });
  tracked.listen(client.socket);
  await whenOpen(client);
  await whenCaughtUp(client);
  return { phone, client, messages: tracked };
}

test("one that came late from the phone, and that the database refuses for good, does not hold up the others", async () => {
  const stored: string[] = [];
  const { phone, client, messages } = await bareIntake(async (batch) => {
    if (batch.some(({ text }) => text === "venenosa"))
      throw Object.assign(new Error("bad"), { code: "22021" });
    stored.push(...batch.map(({ text }) => text));
  });
  // As for a message requested from the phone.
  const late = (id: string, text: string) => ({
    key: { remoteJid: MARIA_JID, fromMe: false, id },
    message: { conversation: text },
    messageTimestamp: Math.floor(Date.now() / 1000),
  });
  const resent = [late("3EB0VENENO", "venenosa"), late("3EB0TARDE", "tarde")];
  client.socket.ev.buffer();
  client.socket.ev.emit("messages.upsert", { messages: resent, type: "notify", requestId: "3EB0PEDIDO" });
  client.socket.ev.flush();
  await whatsapp.write({ from: MARIA, to: phone, text: "depois" });
  await expect.poll(() => stored.toSorted()).toEqual(["depois", "tarde"]);
  await expect.poll(() => waiting(phone)).toBe(0);
  await messages.close();
});

test("a message beside which nothing readable stands does not hold up the others", async () => {
  const stored: string[] = [];
  const { phone, client, messages } = await bareIntake(
    async (batch) => void stored.push(...batch.map(({ text }) => text)),
  );
  const bytes = Uint8Array.of(0xff);
  client.socket.ws.emit("CB:message", {
    tag: "message",
    attrs: { id: "3EB0LIXO", from: MARIA_JID, t: "1763629559", type: "text" },
    content: [
      { tag: "verified_name", attrs: {}, content: bytes },
      { tag: "enc", attrs: { v: "2", type: "msg" }, content: bytes },
    ],
  });
  await whatsapp.write({ from: MARIA, to: phone, text: "depois" });
  await expect.poll(() => stored).toEqual(["depois"]);
  await messages.close();
});

test("with as many as may be held, no more is read until they are stored, and none is lost", async () => {
  const phone = digits();
  const paired = await pairBareClient((qr) => whatsapp.scan({ qr, phone }));
  paired.end();
  const client = openBareClient(paired.store);
  onTestFinished(() => client.end());
  let isDown = true;
  const stored: IncomingMessage[] = [];
  const batches: number[] = [];
  const messages = new Messages({
    host: {
      messages: async (batch) => {
        batches.push(batch.length);
        if (isDown) throw new Error("the database is away");
        stored.push(...batch);
      },
    },
    log: testLog,
    keyFailures: () => 0,
    batchMs: 1,
    retryMs: 1,
    limit: 3,
  });
  messages.listen(client.socket);
  await whenOpen(client);
  await whenCaughtUp(client);
  for (let i = 0; i < 3; i++) await whatsapp.write({ from: MARIA, to: phone, text: `m${i}` });
  await eventually(() => batches.length > 2);
  for (let i = 3; i < 20; i++) await whatsapp.write({ from: MARIA, to: phone, text: `m${i}` });
  const tries = batches.length;
  await eventually(() => batches.length > tries + 20);
  isDown = false;
  await expect.poll(() => waiting(phone)).toBe(0);
  expect(stored.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, i) => `m${i}`));
  await messages.close();
});
