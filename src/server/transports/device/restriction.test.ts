import { expect, test } from "vitest";
import { deviceLab, eventually, wireMessage } from "../../../../tests/support/device-lab.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000860;
const digits = () => String(next++);
let person = 5511911127000;
const someone = () => String(person++);
const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;
const sentTo = async (phone: string) => (await whatsapp.messages({ to: phone, shown: false })).messages;

const warm = (to: string) => ({ ...wireMessage(to, "Quente"), isWarm: async () => true });
const cold = (to: string) => ({ ...wireMessage(to, "Frio"), isWarm: async () => false });
const refused = { kind: "refused", code: "wa_463", passing: false };

test("26.1 under a time-lock who wrote and who got a message delivered are written to, and the others wait", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const [wrote, got, new1, new2] = [someone(), someone(), someone(), someone()];
  await whatsapp.write({ from: wrote, to: phone, text: "oi" });
  await device.transport.send(wireMessage(got, "Primeira"));
  await eventually(() => device.host.received.some(({ status }) => status === "delivered"));
  const until = inAnHour();
  await whatsapp.timelock({ phone, until });
  const waits = { kind: "stop", cause: "new_conversation", retryAt: until * 1000 };
  expect(device.transport.coldWaitsUntil?.()).toBeNull();
  expect(await device.transport.send(cold(new1))).toEqual(waits);
  expect(device.transport.coldWaitsUntil?.()).toEqual(new Date(until * 1000));
  expect(await device.transport.send(warm(wrote))).toMatchObject({ kind: "accepted" });
  expect(await device.transport.send(warm(got))).toMatchObject({ kind: "accepted" });
  expect(await device.transport.send(cold(new2))).toEqual(waits);
  expect(await sentTo(new2), "not tried: that would prolong it").toEqual([]);
});

test("26.1 a cold person is not looked up under a time-lock, a warm one is", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await whatsapp.timelock({ phone, until: inAnHour() });
  await device.transport.send(cold(someone()));
  const to = someone();
  expect(await device.transport.lookup?.(to, async () => false)).toMatchObject({ cause: "new_conversation" });
  expect(await device.transport.lookup?.(to)).toMatchObject({ cause: "new_conversation" });
  expect(await device.transport.lookup?.(to, async () => true)).toMatchObject({ kind: "found" });
});

test("26.1 a person who cannot be classified as warm or cold waits", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  await whatsapp.timelock({ phone, until: inAnHour() });
  await device.transport.send(cold(someone()));
  const to = someone();
  const isWarm = () => Promise.reject(new Error("the database is away"));
  expect(await device.transport.send({ ...wireMessage(to, "Oi"), isWarm })).toMatchObject({
    cause: "new_conversation",
  });
  expect(await sentTo(to)).toEqual([]);
});

test("26.1 a 463 for a warm person is theirs alone, and other conversations go on", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const [bad, good] = [someone(), someone()];
  await whatsapp.write({ from: good, to: phone, text: "oi" });
  await whatsapp.people({ phones: [bad], settings: { refusesWith: 463 } });
  await whatsapp.timelock({ phone, until: inAnHour() });
  expect(await device.transport.send(warm(bad))).toEqual(refused);
  expect(device.transport.coldWaitsUntil?.(), "it reported the restriction").not.toBeNull();
  expect(await device.transport.send(warm(good))).toMatchObject({ kind: "accepted" });
});

test("26.1 more than three warm people refused in a row stop the number, also after a restart, until the lock ends", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const until = inAnHour();
  const people = [1, 2, 3, 4].map(someone);
  const good = someone();
  await whatsapp.write({ from: good, to: phone, text: "oi" });
  await whatsapp.people({ phones: people, settings: { refusesWith: 463 } });
  await whatsapp.timelock({ phone, until });
  const outcomes = [];
  for (const to of people) outcomes.push(await device.transport.send(warm(to)));
  const stopped = { kind: "stop", cause: "timelocked", retryAt: until * 1000 };
  expect(outcomes).toEqual([refused, refused, refused, stopped]);
  expect(await device.reported(({ cause }) => cause === "replies_refused")).toMatchObject({
    state: "connected",
    causeUntil: new Date(until * 1000),
  });
  expect(await device.transport.send(warm(good))).toEqual(stopped);
  await device.transport.close();
  const restarted = await lab.reopen(device.connection);
  await restarted.transport.connect();
  expect(await restarted.connected()).toMatchObject({ cause: "replies_refused" });
  expect(await restarted.transport.send(warm(good))).toEqual(stopped);
  expect(await sentTo(good)).toEqual([]);
});

test("26.1 reaching a warm person restarts the count", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const people = [1, 2, 3, 4, 5].map(someone);
  const good = someone();
  await whatsapp.write({ from: good, to: phone, text: "oi" });
  await whatsapp.people({ phones: people, settings: { refusesWith: 463 } });
  await whatsapp.timelock({ phone, until: inAnHour() });
  for (const to of people.slice(0, 3)) await device.transport.send(warm(to));
  await device.transport.send(warm(good));
  for (const to of people.slice(3)) expect(await device.transport.send(warm(to))).toEqual(refused);
});

test("26.1 that WhatsApp denies a restriction does not end the rest that its refusals began", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ refuseNext: { code: 463, count: 9 } });
  for (let nth = 0; nth < 4; nth++) await device.transport.send(cold(someone()));
  await device.reported(({ cause }) => cause === "new_chats_refused");
  const until = device.transport.coldWaitsUntil?.();
  for (let nth = 0; nth < 4; nth++) await device.transport.send(warm(someone()));
  await device.reported(({ cause }) => cause === "replies_refused");
  expect(device.transport.coldWaitsUntil?.(), "and puts it off no further").toEqual(until);
  await whatsapp.faults({ refuseNext: null });
  expect(await device.transport.send(warm(someone()))).toMatchObject({ kind: "stop", cause: "timelocked" });
});
