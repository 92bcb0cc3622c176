import { expect, test } from "vitest";
import { deviceLab, wireMessage } from "../../../../tests/support/device-lab.ts";
import type { Bearing } from "../transport.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000900;
let person = 5511911190000;

test("a quote, a reaction, its withdrawal and a deletion reach the phone with the message that they name", async () => {
  const device = await lab.pairedDevice(String(next++));
  const to = String(person++);
  const send = async (text: string, bearing: Bearing | null) => {
    const message = { ...wireMessage(to, text), bearing };
    expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
    const { messages } = await whatsapp.messages({ to, id: message.messageId, atLeast: 1 });
    return messages[0];
  };
  const first = await send("A primeira", null);
  expect(first).toMatchObject({ text: "A primeira", about: null });
  const ours = { id: first?.id ?? "", fromMe: true, participant: null, text: "A primeira" };
  const theirs = { id: "3AFFEE00", fromMe: false, participant: null, text: "Vocês abrem sábado?" };
  const at = Date.now();

  const quote = await send("Sim, até as 13h", { what: "quote", of: theirs, at });
  expect(quote).toMatchObject({
    text: "Sim, até as 13h",
    about: { what: "quote", id: theirs.id, text: theirs.text },
  });
  expect(quote?.about?.participant).toMatch(/@(lid|s\.whatsapp\.net)$/);
  expect((await send("👍", { what: "react", of: theirs, at }))?.about).toMatchObject({
    what: "react",
    id: theirs.id,
    fromMe: false,
  });
  expect(await send("", { what: "react", of: theirs, at: at + 1 })).toMatchObject({
    text: "",
    about: { what: "react", id: theirs.id },
  });
  expect((await send("", { what: "delete", of: ours, at }))?.about).toMatchObject({
    what: "delete",
    id: ours.id,
    fromMe: true,
  });
  expect((await whatsapp.stats({})).problems).toEqual([]);
});

test("an act whose acknowledgement is lost is one act on the phone, however often it is sent", async () => {
  const device = await lab.pairedDevice(String(next++), { ackTimeoutMs: 300 });
  const to = String(person++);
  await whatsapp.people({ phones: [to], settings: { deliversAfterMs: null } });
  await whatsapp.faults({ dropAcks: 1 });
  const of = { id: "3AFFEE01", fromMe: true, participant: null, text: "" };
  const message = { ...wireMessage(to, ""), bearing: { what: "delete" as const, of, at: Date.now() } };
  expect(await device.transport.send(message)).toEqual({ kind: "ambiguous", reason: "no_ack" });
  expect(await device.transport.send(message)).toMatchObject({ kind: "accepted" });
  const { messages } = await whatsapp.messages({ to, atLeast: 1 });
  expect(messages).toMatchObject([
    { id: message.messageId, frames: 2, about: { what: "delete", id: of.id } },
  ]);
});
