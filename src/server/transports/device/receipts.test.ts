import { expect, onTestFinished, test } from "vitest";
import {
  openBareClient,
  pairBareClient,
  whenCaughtUp,
  whenOpen,
} from "../../../../simulators/whatsapp/bare-client.ts";
import { testLog } from "../../../../tests/support/database.ts";
import { deviceLab, eventually, type LabDevice, wireMessage } from "../../../../tests/support/device-lab.ts";
import type { Receipt } from "../transport.ts";
import { Receipts, readElsewhereIn, receiptsIn } from "./receipts.ts";

const lab = await deviceLab();
const { whatsapp } = lab;
const MARIA = "5511911110300";

let next = 5511900000300;
const digits = () => String(next++);

async function waiting(phone: string): Promise<number> {
  const { accounts } = await whatsapp.accounts({});
  return accounts.find((account) => account.phone === phone)?.devices[0]?.waiting ?? -1;
}

const tell = (phone: string, id: string, type: "delivered" | "read" = "delivered") =>
  whatsapp.receipts({ from: MARIA, to: phone, ids: [id], type });

function holdStoring({ host }: LabDevice) {
  const store = host.receipts;
  const allowed = Promise.withResolvers<void>();
  const gate = { asked: 0, open: allowed.resolve };
  host.receipts = async (batch) => {
    gate.asked += 1;
    await allowed.promise;
    await store(batch);
  };
  return gate;
}

async function thereAndBack(device: LabDevice): Promise<void> {
  expect(await device.transport.lookup?.(MARIA)).toMatchObject({ kind: "found" });
}

const statuses = (device: LabDevice, id: string) =>
  device.host.received.filter(({ messageId }) => messageId === id).map(({ status }) => status);

test("a receipt is acknowledged once it is stored, and not before; of one message in their order", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await expect.poll(() => waiting(phone)).toBe(0);
  const gate = holdStoring(device);
  await tell(phone, "3EB0ORDER");
  await tell(phone, "3EB0ORDER", "read");
  await eventually(() => gate.asked > 0);
  await thereAndBack(device);
  expect(await waiting(phone)).toBe(2);
  gate.open();
  await expect.poll(() => waiting(phone)).toBe(0);
  expect(statuses(device, "3EB0ORDER")).toEqual(["delivered", "read"]);
});

test("receipts of our own sends and of messages that are none of ours are acknowledged alike", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const message = wireMessage(MARIA, "Oi");
  await device.transport.send(message);
  await tell(phone, "WRITTEN-ON-THE-PHONE", "read");
  await tell(phone, "no id of any client");
  await eventually(() => statuses(device, message.messageId).includes("delivered"));
  await expect.poll(() => waiting(phone)).toBe(0);
});

test("messages read on the phone, openly or quietly, in a group or not, are acknowledged once stored", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await expect.poll(() => waiting(phone)).toBe(0);
  const tries: string[][] = [];
  const store = device.host.readElsewhere;
  device.host.readElsewhere = async (ids) => {
    tries.push([...ids]);
    if (tries.length === 1) throw new Error("the database is away");
    await store(ids);
  };
  const { id: group } = await whatsapp.createGroup({ subject: "Loja", members: [phone, MARIA] });
  await whatsapp.readOnPhone({ phone, from: MARIA, ids: ["3AONE", "3ATWO"] });
  await eventually(() => tries.length > 0);
  await whatsapp.readOnPhone({ phone, from: MARIA, ids: ["3AQUIET"], quietly: true });
  await whatsapp.readOnPhone({ phone, from: MARIA, group, ids: ["3AGROUP"] });
  await expect.poll(() => waiting(phone)).toBe(0);
  expect(device.host.readElsewhereIds).toEqual(["3AONE", "3ATWO", "3AQUIET", "3AGROUP"]);
  expect(device.host.received).toEqual([]);
});

test("only what one of our own devices has read counts as read there", () => {
  const me = { id: "5511900000300:7@s.whatsapp.net", lid: "70000000000300:7@lid" };
  const readIds = (attrs: Record<string, string>) =>
    readElsewhereIn({ tag: "receipt", attrs: { id: "3A", type: "read", ...attrs } }, me);
  const [anna, group] = ["80000000000001@lid", "120363000000000000@g.us"];
  expect(readIds({ from: "70000000000300@lid", recipient: anna })).toEqual(["3A"]);
  expect(readIds({ from: "5511900000300@s.whatsapp.net", recipient: anna })).toEqual(["3A"]);
  expect(readIds({ from: group, participant: "70000000000300@lid", recipient: anna })).toEqual(["3A"]);
  expect(readIds({ from: anna })).toEqual([]);
  expect(readIds({ from: group, participant: anna, recipient: anna })).toEqual([]);
  expect(readIds({ from: "70000000000300@lid", recipient: anna, type: "sender" })).toEqual([]);
  expect(readIds({ from: "status@broadcast", participant: "70000000000300@lid", recipient: anna })).toEqual(
    [],
  );
});

test("receipts of several group members in one stanza apply to the messages it names", () => {
  const user = { tag: "user", attrs: { jid: "80000000000001@lid", t: "1700000000" } };
  const content = ["3EB0FIRST", "3EB0SECOND"].map((key) => ({
    tag: "participants",
    attrs: { key },
    content: [user],
  }));
  const attrs = { id: "1234.5678-9", from: "120363000000000000@g.us", type: "read", t: "1700000000" };
  const at = new Date(1_700_000_000_000);
  expect(receiptsIn({ tag: "receipt", attrs, content }, new Date())).toEqual([
    { messageId: "3EB0FIRST", status: "read", at },
    { messageId: "3EB0SECOND", status: "read", at },
  ]);
});

test("a receipt that could not be stored comes again for the next owner, and is stored", async () => {
  const phone = digits();
  const first = await lab.pairedDevice(phone);
  await expect.poll(() => waiting(phone)).toBe(0);
  let refused = 0;
  first.host.receipts = async () => {
    refused += 1;
    throw new Error("the database is away");
  };
  await tell(phone, "3EB0AGAIN", "read");
  await eventually(() => refused > 0);
  await first.transport.close();
  expect(await waiting(phone)).toBe(1);
  const second = await lab.reopen(first.connection);
  await second.transport.connect();
  await eventually(() => statuses(second, "3EB0AGAIN").includes("read"));
  await expect.poll(() => waiting(phone)).toBe(0);
});

test("a socket lost while a receipt is being stored: the receipt is stored, comes again and is acknowledged", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const gate = holdStoring(device);
  await tell(phone, "3EB0CUT");
  await eventually(() => gate.asked > 0);
  const reports = device.host.reports.length;
  await whatsapp.cut({ phone });
  await eventually(() => device.host.reports.slice(reports).find(({ state }) => state === "connected"));
  expect(await waiting(phone)).toBe(1);
  gate.open();
  await expect.poll(() => waiting(phone)).toBe(0);
  expect(statuses(device, "3EB0CUT")).toEqual(["delivered", "delivered"]);
});

test("what waited while we were away is stored before the device calls itself ready", async () => {
  const phone = digits();
  const first = await lab.pairedDevice(phone);
  await first.transport.close();
  await tell(phone, "3EB0AWAY");
  await tell(phone, "3EB0AWAY", "read");
  const second = await lab.reopen(first.connection);
  const gate = holdStoring(second);
  await second.transport.connect();
  await second.connected();
  await eventually(() => gate.asked > 0);
  await thereAndBack(second);
  expect(second.transport.ready()).toBe(false);
  gate.open();
  await eventually(() => second.transport.ready());
  expect(statuses(second, "3EB0AWAY")).toEqual(["delivered", "read"]);
});

test("with as many as may be held, no more is read until they are stored, and none is lost", async () => {
  const phone = digits();
  const paired = await pairBareClient((qr) => whatsapp.scan({ qr, phone }));
  paired.end();
  const client = openBareClient(paired.store);
  onTestFinished(() => client.end());
  let isDown = true;
  const batches: number[] = [];
  const stored: Receipt[] = [];
  const receipts = new Receipts({
    host: {
      readElsewhere: async () => undefined,
      receipts: async (batch) => {
        batches.push(batch.length);
        if (isDown) throw new Error("the database is away");
        stored.push(...batch);
      },
    },
    log: testLog,
    now: () => new Date(),
    batchMs: 1,
    retryMs: 1,
    limit: 3,
  });
  receipts.listen(client.socket);
  await whenOpen(client);
  await whenCaughtUp(client);
  const ids = Array.from({ length: 20 }, (_, i) => `3EB0${i}`);
  for (const id of ids.slice(0, 3)) await tell(phone, id);
  await eventually(() => batches.includes(3));
  for (const id of ids.slice(3)) await tell(phone, id);
  const tries = batches.length;
  await eventually(() => batches.length > tries + 20);
  expect(Math.max(...batches)).toBe(3);
  isDown = false;
  await expect.poll(() => waiting(phone)).toBe(0);
  expect(stored.map(({ messageId }) => messageId)).toEqual(ids);
});
