import { afterEach, expect, test } from "vitest";
import { testSimulator } from "../../tests/support/simulator.ts";
import { type BareClient, numberAddress, pairBareClient } from "./bare-client.ts";
import { makeSessionStore } from "./session-store.ts";

const PHONE = "5511900000001";
const people = Array.from({ length: 6 }, (_, i) => `551193333000${i}`);
const simulator = testSimulator({ maxSessions: 2 });
let client: BareClient | undefined;
afterEach(() => client?.end());

test("the oldest unanswered session is forgotten, an answered one never", () => {
  const store = makeSessionStore(2);
  store.save("a", { n: 1 });
  store.keep("a");
  for (const address of ["b", "c", "d"]) store.save(address, { address });
  store.save("a", { n: 2 });
  expect(["a", "b", "c", "d"].map((address) => store.load(address))).toEqual([
    { n: 2 },
    undefined,
    { address: "c" },
    { address: "d" },
  ]);
});

test("people whose sessions were forgotten open what comes next, and who wrote back is not forgotten", async () => {
  const device = await pairBareClient((qr) => simulator.control.scan({ qr, phone: PHONE }));
  client = device;
  const [first = ""] = people;
  await simulator.control.write({ from: first, to: PHONE, text: "oi" });
  await device.until(({ upserts }) => upserts.length);
  for (const round of ["um", "dois"]) {
    for (const phone of people) {
      const messageId = `${round}-${phone}`;
      await device.socket.sendMessage(numberAddress(phone), { text: round }, { messageId });
      await device.until(({ acks }) => acks.find((ack) => ack.id === messageId));
    }
  }
  for (const phone of people) {
    const { messages } = await simulator.control.messages({ to: phone });
    expect(messages.map(({ text }) => text)).toEqual(["um", "dois"]);
  }
  expect(await simulator.control.stats({})).toMatchObject({ undecryptable: 0, sessions: 3, shown: 12 });
});
