import type { BinaryNode, WASocket } from "baileys";
import { describe, expect, test, vi } from "vitest";
import { stanza } from "../../../../simulators/whatsapp/stanza.ts";
import { deviceLab, wireMessage } from "../../../../tests/support/device-lab.ts";
import { lookUp } from "./lookup.ts";

const lab = await deviceLab();
const { whatsapp } = lab;
const PHONE = "5511987650042";
const unanswered = { kind: "stop", cause: "lookup_failed", retryAt: null };

describe("F19 an answer without a person proves nothing about the number", () => {
  test.each([
    ["an empty list", null, unanswered],
    ["an error within the answer", 500, unanswered],
    ["a limit within the answer", 429, { kind: "stop", cause: "rate_limited", retryAt: expect.any(Number) }],
  ] as const)("%s", async (_name, code, outcome) => {
    const device = await lab.pairedDevice("5511900000601");
    await whatsapp.faults({ bareLookups: { code, count: 1 } });
    expect(await device.transport.lookup?.(PHONE)).toEqual(outcome);
    expect(await device.transport.lookup?.(PHONE)).toMatchObject({ kind: "found" });
  });
});

test("nothing waits for days in memory for each person written to", async () => {
  const device = await lab.pairedDevice("5511900000602");
  const waits = vi.spyOn(globalThis, "setTimeout");
  const found = await device.transport.lookup?.(PHONE);
  expect(found).toMatchObject({ kind: "found", address: { lid: expect.stringContaining("@lid") } });
  expect(await device.transport.send(wireMessage(PHONE, "Oi"))).toMatchObject({ kind: "accepted" });
  const hours = waits.mock.calls.map(([, ms]) => Number(ms) / 3_600_000);
  expect(hours.filter((each) => each > 1)).toEqual([]);
});

describe("shapes of an answer", () => {
  const ask = (answer: BinaryNode | undefined, phone = "4915112345678") =>
    lookUp(
      { query: async () => answer, generateMessageTag: () => "1" } as unknown as WASocket,
      phone,
      new Date(),
    );
  const answer = (...users: BinaryNode[]) =>
    stanza("iq", { type: "result" }, [stanza("usync", {}, [stanza("list", {}, users)])]);
  const contact = (type: string) => stanza("contact", { type }, Buffer.from("+4915112345678"));

  test.each([
    ["out, without an address", answer(stanza("user", {}, [contact("out")]))],
    ["invalid", answer(stanza("user", { jid: "4915112345678@s.whatsapp.net" }, [contact("invalid")]))],
  ])("%s: absent", async (_name, node) => {
    expect(await ask(node)).toEqual({ kind: "absent" });
  });

  test.each([
    ["no answer", undefined],
    ["no usync", stanza("iq", { type: "result" })],
    ["no list", stanza("iq", { type: "result" }, [stanza("usync", {}, [])])],
    ["a user without a word about the number", answer(stanza("user", { jid: "49@s.whatsapp.net" }))],
    ["an unknown word", answer(stanza("user", { jid: "49@s.whatsapp.net" }, [contact("later")]))],
    ["in, without an address", answer(stanza("user", {}, [contact("in")]))],
    [
      "an error about this number",
      answer(
        stanza("user", { jid: "49@s.whatsapp.net" }, [
          stanza("contact", {}, [stanza("error", { code: 500 })]),
        ]),
      ),
    ],
  ])("%s: not known", async (_name, node) => {
    expect(await ask(node)).toEqual(unanswered);
  });

  test("a rate limit in the answer concerns the channel, which waits", async () => {
    const limit = stanza("contact", {}, [stanza("error", { code: 429 })]);
    expect(await ask(answer(stanza("user", { jid: "49@s.whatsapp.net" }, [limit])))).toMatchObject({
      kind: "stop",
      cause: "rate_limited",
    });
  });

  const inTurn = (...answers: (BinaryNode | undefined)[]) =>
    lookUp(
      { query: async () => answers.shift(), generateMessageTag: () => "1" } as unknown as WASocket,
      "5531987654321",
      new Date(),
    );
  const out = answer(stanza("user", {}, [contact("out")]));

  test("a person registered without the ninth digit is found; absent only after both forms", async () => {
    const old = answer(stanza("user", { jid: "553187654321@s.whatsapp.net" }, [contact("in")]));
    const address = { jid: "553187654321@s.whatsapp.net", lid: null };
    expect(await inTurn(out, old)).toEqual({ kind: "found", address });
    expect(await inTurn(out, undefined)).toEqual(unanswered);
    expect(await inTurn(out, out)).toEqual({ kind: "absent" });
  });
});
