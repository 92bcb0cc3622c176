import { expect, test, vi } from "vitest";
import { deviceLab, eventually, wireMessage } from "../../../../tests/support/device-lab.ts";

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
  const device = await lab.pairedDevice(digits(), { ackTimeoutMs: 2_000 });
  const to = someone();
  await whatsapp.people({ phones: [to], settings: { deliversAfterMs: null } });
  const message = wireMessage(to, "Uma vez só");
  await whatsapp.faults({ dropAcks: 1 });
  expect(await device.transport.send(message)).toEqual({ kind: "ambiguous", reason: "no_ack" });
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  const shown = await whatsapp.messages({ to, atLeast: 1 });
  expect(shown.messages).toMatchObject([{ id: message.messageId, frames: 2, shown: true, collapsed: true }]);
});

test.each(["delivered", "read"] as const)(
  "F9 a receipt (%s) proves a message whose acknowledgement was lost, without waiting for the time limit",
  async (type) => {
    const device = await lab.pairedDevice(digits(), { ackTimeoutMs: 3_600_000 });
    const to = someone();
    const after = type === "read" ? { deliversAfterMs: null, readsAfterMs: 5 } : { deliversAfterMs: 5 };
    await whatsapp.people({ phones: [to], settings: after });
    await whatsapp.faults({ dropAcks: 1 });
    const { messageId, ...rest } = wireMessage(to, "Chegou");
    expect(await device.transport.send({ messageId, ...rest })).toMatchObject({
      kind: "accepted",
      providerId: messageId,
    });
    const arrived = () => device.host.received.filter((one) => one.messageId === messageId);
    await eventually(() => arrived().length > 0);
    expect(arrived()).toMatchObject([{ status: type }]);
    expect(await device.transport.send(wireMessage(someone(), "Depois"))).toMatchObject({ kind: "accepted" });
  },
);

test("F9 a receipt of the first frame settles the second once; what WhatsApp says of that afterwards is late truth", async () => {
  const device = await lab.pairedDevice(digits(), { ackTimeoutMs: 300 });
  const { host, connection } = device;
  const to = someone();
  await whatsapp.people({ phones: [to], settings: { deliversAfterMs: null } });
  const message = wireMessage(to, "Duas vezes");
  await whatsapp.faults({ dropAcks: 1 });
  expect(await device.transport.send(message)).toEqual({ kind: "ambiguous", reason: "no_ack" });
  await device.transport.close();
  const again = await lab.reopen(connection, { ackTimeoutMs: 3_600_000 });
  await again.transport.connect();
  await eventually(() => again.transport.ready());
  await whatsapp.clock({ hold: true });
  await whatsapp.faults({ delayAcks: { ms: 1_000, count: 1 } });
  const sending = again.transport.send(message);
  await expect.poll(async () => (await sentTo(to))[0]?.frames).toBe(2);
  await whatsapp.receipts({ from: to, to: connection.deviceId, ids: [message.messageId] });
  expect(await sending).toMatchObject({ kind: "accepted" });
  await whatsapp.clock({ advanceMs: 1_000 });
  await whatsapp.clock({ hold: false });
  const statuses = () => again.host.received.map(({ status }) => status);
  await eventually(() => statuses().includes("accepted"));
  expect(statuses()).toEqual(["delivered", "accepted"]);
  expect(host.received).toEqual([]);
});

test("the time of the acknowledgement begins with the write, however long what comes before it takes", async () => {
  const phone = digits();
  const ackTimeoutMs = 2_000;
  const device = await lab.pairedDevice(phone, { ackTimeoutMs });
  const { messages } = device.host;
  const stored = Promise.withResolvers<void>();
  let storing = false;
  device.host.messages = async (batch) => {
    storing = true;
    await stored.promise;
    await messages(batch);
  };
  await whatsapp.write({ from: someone(), to: phone, text: "Oi" });
  await eventually(() => storing);
  const sending = device.transport.send(wireMessage(someone(), "Com calma"));
  setTimeout(stored.resolve, ackTimeoutMs + 500);
  expect(await sending).toMatchObject({ kind: "accepted" });
});

test("F10 an ack after the time limit is reported as a late result", async () => {
  const device = await lab.pairedDevice(digits(), { ackTimeoutMs: 60 });
  await whatsapp.faults({ delayAcks: { ms: 200, count: 1 } });
  const to = someone();
  await whatsapp.people({ phones: [to], settings: { deliversAfterMs: null } });
  const message = wireMessage(to, "Devagar");
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
  const message = wireMessage(to, "Depois do corte");
  await whatsapp.faults({ [fault]: 1 });
  expect(await device.transport.send(message)).toEqual({ kind: "ambiguous", reason: "connection_lost" });
  await eventually(() => device.transport.ready());
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  const { messages } = await whatsapp.messages({ to, atLeast: 1 });
  expect(messages).toMatchObject([{ id: message.messageId, shown: true }]);
});

test("F18 463 with a time-lock keeps cold people waiting until it ends, and the screen says so", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const until = Math.floor(Date.now() / 1000) + 3_600;
  const to = someone();
  await whatsapp.timelock({ phone, until });
  await whatsapp.people({ phones: [to], settings: { refusesWith: 463 } });
  expect(await device.transport.send(wireMessage(to, "Frio"))).toEqual({
    kind: "stop",
    cause: "new_conversation",
    retryAt: until * 1000,
  });
  const report = await device.reported(({ cause }) => cause === "timelocked");
  expect(report).toMatchObject({ state: "connected", causeUntil: new Date(until * 1000) });

  const stopped = { kind: "stop", cause: "new_conversation", retryAt: until * 1000 };
  const other = someone();
  expect(await device.transport.send(wireMessage(other, "Mais um"))).toEqual(stopped);
  expect(await device.transport.lookup?.(other)).toEqual(stopped);
  await device.transport.close();
  const restarted = await lab.reopen(device.connection);
  await restarted.transport.connect();
  expect(await restarted.connected()).toMatchObject({ cause: "timelocked" });
  expect(await restarted.transport.send(wireMessage(other, "Mais um"))).toEqual(stopped);
  expect(await sentTo(other)).toEqual([]);
});

test("26.26 463 without an end is not tried again for a day, and the screen says when", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await whatsapp.timelock({ phone, until: Math.floor(Date.now() / 1000) + 3_600, endless: true });
  await whatsapp.faults({ refuseNext: { code: 463, count: 1 } });
  const outcome = await device.transport.send(wireMessage(someone(), "Frio"));
  expect(outcome).toMatchObject({ kind: "stop", cause: "new_conversation", retryAt: expect.any(Number) });
  if (outcome.kind !== "stop") throw new Error("not stopped");
  expect(Number(outcome.retryAt) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  const { causeUntil } = await device.reported(({ cause }) => cause === "new_chats_refused");
  expect(causeUntil?.getTime()).toBe(outcome.retryAt);
});

test("F18 463 about one person, of a number without a restriction, is that person's alone", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  await whatsapp.people({ phones: [to], settings: { refusesWith: 463 } });
  const refused = { kind: "refused", code: "wa_463", passing: false };
  expect(await device.transport.send(wireMessage(to, "Frio"))).toEqual(refused);
  expect(await device.transport.send(wireMessage(someone(), "Quente"))).toMatchObject({ kind: "accepted" });
});

test("F18 463 for one person after the other is the number's, though WhatsApp says that it is not restricted", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ refuseNext: { code: 463, count: 9 } });
  const outcomes: string[] = [];
  for (let nth = 0; nth < 4; nth++)
    outcomes.push((await device.transport.send(wireMessage(someone(), "Frio"))).kind);
  expect(outcomes).toEqual(["refused", "refused", "refused", "stop"]);
  await whatsapp.faults({ refuseNext: null });
});

test("F18 463 while WhatsApp does not say whether the number is restricted: asked again in minutes", async () => {
  const device = await lab.pairedDevice(digits(), { queryTimeoutMs: 2_000 });
  const to = someone();
  await whatsapp.people({ phones: [to], settings: { refusesWith: 463 } });
  // The quota of new conversations is asked for on the same channel, in any order.
  await whatsapp.faults({ failQueries: { namespace: "w:mex", code: null, count: 9 } });
  const outcome = await device.transport.send(wireMessage(to, "Frio"));
  expect(outcome).toMatchObject({ kind: "stop", cause: "new_conversation", retryAt: expect.any(Number) });
  if (outcome.kind !== "stop") throw new Error("not stopped");
  expect(Number(outcome.retryAt) - Date.now()).toBeLessThan(10 * 60_000);
  expect(await device.transport.send(wireMessage(someone(), "Frio"))).toEqual(outcome);
});

test("F14 429 slows the channel down and blames no recipient", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ refuseNext: { code: 429, count: 1 } });
  const outcome = await device.transport.send(wireMessage(someone(), "Rápido"));
  expect(outcome).toMatchObject({ kind: "stop", cause: "rate_limited" });
});

test("any other refusal is about this person and carries WhatsApp's code", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ refuseNext: { code: 406, count: 1 } });
  expect(await device.transport.send(wireMessage(someone(), "Não"))).toEqual({
    kind: "refused",
    code: "wa_406",
    passing: false,
  });
});

test.each([500, 503])(
  "F8 an acknowledgement with WhatsApp's own error (%s) is a doubt, settled by the same id",
  async (code) => {
    const device = await lab.pairedDevice(digits());
    const to = someone();
    const message = wireMessage(to, "Com problemas");
    await whatsapp.faults({ refuseNext: { code, count: 1 } });
    expect(await device.transport.send(message)).toEqual({
      kind: "ambiguous",
      reason: `wa_${code}`,
      stop: { cause: "server_trouble", retryAt: null },
    });
    expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
    expect(await sentTo(to)).toMatchObject([{ id: message.messageId, frames: 2, shown: true }]);
  },
);

test("nothing is sent without a connection, or when the lease is not fresh", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  device.host.mayAct = () => false;
  const to = someone();
  const stopped = { kind: "stop", cause: "not_connected", retryAt: null };
  expect(await device.transport.send(wireMessage(to, "Oi"))).toEqual(stopped);
  expect(await device.transport.lookup?.(to)).toEqual(stopped);
  device.host.mayAct = () => true;
  await device.transport.close();
  expect(await device.transport.send(wireMessage(to, "Oi"))).toEqual(stopped);
  expect(await sentTo(to)).toEqual([]);
});

test.each([
  ["usync", 500, { kind: "stop", cause: "lookup_failed" }],
  ["usync", "cut", { kind: "stop", cause: "not_connected" }],
  ["usync", 429, { kind: "stop", cause: "rate_limited" }],
  ["usync", null, { kind: "stop", cause: "lookup_failed" }],
  ["usync", "once", { kind: "stop", cause: "lookup_failed" }],
  ["encrypt", 404, { kind: "refused", code: "no_session", passing: true }],
  ["encrypt", 503, { kind: "stop" }],
  ["encrypt", "cut", { kind: "stop", cause: "not_connected" }],
  ["encrypt", null, { kind: "stop", cause: "lookup_failed" }],
] as const)(
  "a question before the write that fails (%s, %s) proves that nothing left",
  async (namespace, code, outcome) => {
    const silent = code === null || code === "once";
    const device = await lab.pairedDevice(digits(), silent ? { queryTimeoutMs: 2_000 } : {});
    const to = someone();
    const times = code === "once" ? { code: null, count: 1 } : { code, count: code === "cut" ? 1 : 5 };
    await whatsapp.faults({ failQueries: { namespace, ...times } });
    expect(await device.transport.send(wireMessage(to, "Oi"))).toMatchObject(outcome);
    expect(await sentTo(to)).toEqual([]);
    await whatsapp.faults({ failQueries: null });
    await eventually(() => device.transport.ready());
    expect(await device.transport.send(wireMessage(to, "Oi"))).toMatchObject({ kind: "accepted" });
  },
);

test("F6 unavailable keys prove that nothing was sent: no answer is waited for", async () => {
  const device = await lab.pairedDevice(digits(), { ackTimeoutMs: 3_600_000 });
  const { prepared } = lab.database;
  let reads = 0;
  let failing = 1;
  const spy = vi.spyOn(lab.database, "prepared").mockImplementation(async (name, text, values) => {
    if (name === "device_keys_get" && ++reads === failing) throw new Error("Connection terminated");
    return prepared(name, text, values);
  });
  const kinds = new Set<string>();
  for (; reads >= failing - 1; failing++) {
    reads = 0;
    const to = someone();
    const { kind } = await device.transport.send(wireMessage(to, "Oi"));
    expect(await sentTo(to)).toMatchObject(kind === "accepted" ? [{ frames: 1, shown: true }] : []);
    kinds.add(kind);
  }
  expect(kinds).toEqual(new Set(["stop", "accepted"]));
  spy.mockRestore();
});

test.each(["theirs", "ours"] as const)(
  "a removed linked device of %s that is still listed does not stop their message",
  async (whose) => {
    const phone = digits();
    const to = digits();
    const device = await lab.pairedDevice(phone);
    await lab.pairedDevice(whose === "ours" ? phone : to);
    await whatsapp.faults({ deadCompanions: true });
    const message = wireMessage(to, "Oi");
    expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
    expect(await device.transport.send(wireMessage(to, "De novo"))).toMatchObject({ kind: "accepted" });
    expect(await sentTo(to)).toMatchObject([{ id: message.messageId, shown: true }, { shown: true }]);
    await whatsapp.faults({ deadCompanions: false });
  },
);

test("an answer without a person says nothing about the recipient", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  await whatsapp.faults({ bareLookups: { code: null, count: 2 } });
  expect(await device.transport.send(wireMessage(to, "Oi"))).toMatchObject({ kind: "stop" });
  expect(await device.transport.send(wireMessage(to, "De novo"))).toMatchObject({ kind: "accepted" });
});

test("a group takes a message, though one of its members has a linked device that was removed", async () => {
  const [phone, member] = [digits(), digits()];
  const device = await lab.pairedDevice(phone);
  await lab.pairedDevice(member);
  const other = someone();
  const { id } = await whatsapp.createGroup({ subject: "Vitrine", members: [phone, member, other] });
  await whatsapp.faults({ deadCompanions: true });
  const message = wireMessage(other, "Oi a todos");
  const sent = await device.transport.send({ ...message, to: { jid: id, lid: null } });
  expect(sent).toMatchObject({ kind: "accepted" });
  await whatsapp.faults({ deadCompanions: false });
});

test("a number without WhatsApp is refused before anything is sent", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  await whatsapp.people({ phones: [to], settings: { onWhatsApp: false } });
  expect(await device.transport.send(wireMessage(to, "Oi"))).toMatchObject({
    kind: "refused",
    code: "no_devices",
  });
  expect((await whatsapp.messages({ from: device.connection.deviceId, shown: false })).messages).toEqual([]);
});

test("F19 lookup finds either form of the ninth digit, the given one first, and knows who is absent @spec 5.4 @decision 6", async () => {
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
  const unregistered = ["5531987650003", "553187650003"];
  await whatsapp.people({ phones: unregistered, settings: { onWhatsApp: false } });
  expect(await device.transport.lookup?.("5531987650003")).toEqual({ kind: "absent" });
  await whatsapp.faults({ failQueries: { namespace: "usync", code: 500, count: 1 } });
  expect(await device.transport.lookup?.("5511987650004")).toMatchObject({
    kind: "stop",
    cause: "lookup_failed",
  });
});

test("messages that people write are taken and ignored", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const from = someone();
  await whatsapp.write({ from, to: phone, text: "SAIR" });
  const message = wireMessage(from, "Oi");
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  expect((await whatsapp.stats({})).problems).toEqual([]);
});

test("closing waits for the answer to what is on the wire", async () => {
  const device = await lab.pairedDevice(digits(), { closeGraceMs: 60_000 });
  await whatsapp.faults({ delayAcks: { ms: 150, count: 1 } });
  const sending = device.transport.send(wireMessage(someone(), "Por último"));
  await device.transport.close();
  expect(await sending).toMatchObject({ kind: "accepted" });
});

test("F38 an ownership that ran out while the message was being prepared: nothing is written, the person is given back", async () => {
  const device = await lab.pairedDevice(digits());
  const to = someone();
  let asked = 0;
  device.host.mayAct = () => asked++ === 0;
  expect(await device.transport.send(wireMessage(to, "Tarde demais"))).toEqual({
    kind: "stop",
    cause: "not_connected",
    retryAt: null,
  });
  device.host.mayAct = () => true;
  expect(
    await device.transport.send({ ...wireMessage(to, "Já saiu"), signal: AbortSignal.abort() }),
  ).toMatchObject({
    kind: "stop",
  });
  expect(await sentTo(to)).toEqual([]);
  expect(await device.transport.send(wireMessage(to, "Agora sim"))).toMatchObject({ kind: "accepted" });
});
