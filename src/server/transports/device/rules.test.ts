import { proto } from "baileys";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ninthDigitForms } from "../../../domain/chat-id.ts";
import { backoffMs } from "../backoff.ts";
import type { Bearing } from "../transport.ts";
import { boundedCache } from "./bounded-cache.ts";
import { banEnd, closeVerdict } from "./close-codes.ts";
import { buildContent } from "./content.ts";
import { receiptsIn } from "./receipts.ts";

describe("closing codes", () => {
  test.each([
    [401, "Stream Errored (conflict)", "forget", "logged_out"],
    [401, "WebSocket Error (Unexpected server response: 401)", "wait", "network"],
    [402, "Connection Failure", "rest", "temp_banned"],
    [403, "Connection Failure", "rest", "banned"],
    [403, "WebSocket Error (Unexpected server response: 403)", "wait", "network"],
    [405, "Connection Failure", "outdated", "client_outdated"],
    [406, "Connection Failure", "rest", "banned"],
    [408, "Connection was lost", "wait", "network"],
    [408, "QR refs attempts ended", "rest", "qr_expired"],
    [411, "Multi-device beta not joined", "forget", "logged_out"],
    [428, "Connection Closed", "wait", "network"],
    [440, "Stream Errored (conflict)", "replaced", "replaced"],
    [500, "Stream Errored (unknown)", "wait", "network"],
    [503, "Stream Errored (unknown)", "wait", "network"],
    [515, "Stream Errored (restart required)", "again", "restart"],
    [500, "noise intermediate certificate signature invalid", "wait", "untrusted_server"],
    [undefined, "whatever", "wait", "network"],
  ])("%s %s", (code, text, action, cause) => {
    expect(closeVerdict(code, text)).toEqual({ action, cause });
  });

  test("a ban for a time ends when WhatsApp says, and is without a date when it says none that can be", () => {
    const now = new Date("2026-11-21T12:00:00Z");
    const ended = (data: unknown) => banEnd(Object.assign(new Error("Connection Failure"), { data }), now);
    expect(ended({ reason: "402", expire: "3600" })).toEqual(new Date("2026-11-21T13:00:00Z"));
    for (const data of [
      { reason: "402" },
      { expire: "-5" },
      { expire: "soon" },
      { expire: "9".repeat(30) },
      null,
    ])
      expect(ended(data)).toBeNull();
  });

  test("the back-off grows to a minute and spreads by a quarter at most", () => {
    const steps = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 60_000];
    expect(steps.map((_, failures) => backoffMs(failures, () => 0))).toEqual(steps);
    expect(backoffMs(0, () => 0.999)).toBeLessThanOrEqual(1_250);
  });
});

describe("the ninth digit", () => {
  test.each([
    ["5531987654321", ["5531987654321", "553187654321"]],
    ["553187654321", ["553187654321", "5531987654321"]],
    ["551133334444", ["551133334444"]],
    ["14155552671", ["14155552671"]],
  ])("%s", (phone, forms) => {
    expect(ninthDigitForms(phone)).toEqual(forms);
  });

  test("either form leads to the other", () => {
    const mobile = fc.tuple(
      fc.integer({ min: 11, max: 99 }),
      fc.integer({ min: 60_000_000, max: 99_999_999 }),
    );
    fc.assert(
      fc.property(
        mobile.filter(([ddd]) => ddd % 10 !== 0),
        ([ddd, number]) => {
          const [given, other = ""] = ninthDigitForms(`55${ddd}9${number}`);
          expect(ninthDigitForms(other)).toEqual([other, given]);
        },
      ),
    );
  });
});

describe("receipts", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  const list = [
    { tag: "list", attrs: {}, content: ["B", "C"].map((id) => ({ tag: "item", attrs: { id } })) },
  ];

  test("delivery has no type, a list names further ids, seconds are WhatsApp's", () => {
    const node = { tag: "receipt", attrs: { id: "A", from: "7551@lid", t: "1700000000" }, content: list };
    const at = new Date(1_700_000_000_000);
    expect(receiptsIn(node, now)).toEqual(
      ["A", "B", "C"].map((messageId) => ({ messageId, status: "delivered", at })),
    );
  });

  test.each([
    ["read", "read"],
    ["played", "read"],
    ["retry", null],
    ["server-error", null],
    ["sender", null],
    ["read-self", null],
  ])("type %s", (type, status) => {
    const found = receiptsIn({ tag: "receipt", attrs: { id: "A", type } }, now);
    expect(found).toEqual(status ? [{ messageId: "A", status, at: now }] : []);
  });

  test.each(["A\0", "", "A B", "é", "A".repeat(129)])(
    "an id that no WhatsApp client makes belongs to no recipient: %j",
    (id) => {
      expect(receiptsIn({ tag: "receipt", attrs: { id } }, now)).toEqual([]);
    },
  );

  test.each(["99999999999999999", "-1", "soon", undefined])("a time that is none is now: %s", (t) => {
    const found = receiptsIn({ tag: "receipt", attrs: { id: "A", ...(t === undefined ? {} : { t }) } }, now);
    expect(found).toEqual([{ messageId: "A", status: "delivered", at: now }]);
  });

  test("what another device of ours read is not a recipient's receipt", () => {
    const attrs = { id: "A", type: "read", recipient: "5511@s.whatsapp.net" };
    expect(receiptsIn({ tag: "receipt", attrs }, now)).toEqual([]);
  });
});

const SIDES = { chat: "5511988887777@s.whatsapp.net", me: "5511900000001@s.whatsapp.net" };

test("content is the same whenever it is built, and differs between messages", () => {
  const message = { text: "Olá", media: null, hasAttachment: false };
  const once = buildContent(message, "3EB0AA", "secret", SIDES);
  expect(buildContent(message, "3EB0AA", "secret", SIDES)).toEqual(once);
  expect(buildContent(message, "3EB0AB", "secret", SIDES)).not.toEqual(once);
  expect(once.extendedTextMessage?.matchedText).toBeFalsy();
  expect(() => buildContent({ ...message, hasAttachment: true }, "3EB0AA", "secret", SIDES)).toThrow(
    TypeError,
  );
});

test("an answer names what it quotes, a reaction and a deletion what they are about", () => {
  const build = (what: Bearing["what"], of: Partial<Bearing["of"]> = {}) => {
    const about = { id: "3A00", fromMe: false, participant: null, text: "18h?", ...of };
    const message = {
      text: "👍",
      media: null,
      hasAttachment: false,
      bearing: { what, of: about, at: 1_795_000_000_000 },
    };
    return buildContent(message, "3EB0AA", "secret", SIDES);
  };
  const contextInfo = { stanzaId: "3A00", participant: SIDES.chat, quotedMessage: { conversation: "18h?" } };
  expect(build("quote").extendedTextMessage).toMatchObject({ text: "👍", contextInfo });
  const quoted = (of: Partial<Bearing["of"]>) =>
    build("quote", of).extendedTextMessage?.contextInfo?.participant;
  expect(quoted({ fromMe: true })).toBe(SIDES.me);
  expect(quoted({ participant: "71111@lid" })).toBe("71111@lid");
  const key = { remoteJid: SIDES.chat, fromMe: false, id: "3A00" };
  expect(build("react").reactionMessage).toMatchObject({ key, text: "👍" });
  expect(Number(build("react").reactionMessage?.senderTimestampMs)).toBe(1_795_000_000_000);
  const revoked = { key: { ...key, fromMe: true }, type: proto.Message.ProtocolMessage.Type.REVOKE };
  expect(build("delete", { fromMe: true }).protocolMessage).toMatchObject(revoked);
});

test("a cache of keys forgets the least recently used", () => {
  const cache = boundedCache(2);
  cache.set("a", 1);
  cache.set("b", 2);
  expect(cache.get("a")).toBe(1);
  cache.set("c", 3);
  expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.size()]).toEqual([1, undefined, 3, 2]);
});
