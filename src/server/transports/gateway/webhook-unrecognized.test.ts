import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KEY, message, NOW, read, TIME, upsert } from "../../../../tests/support/webhook-bodies.ts";
import { readWebhook } from "./webhook-events.ts";

test("W10 whatever JSON stands where a gateway's values stand, it is read without falling over", () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("5511987654321@s.whatsapp.net", "READ", 3, true, "\ud800"),
  );
  const record = (...names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, odd])), { requiredKeys: [] });
  const key = fc.oneof(odd, record("id", "remoteJid", "remoteJidAlt", "fromMe", "participant", "senderPn"));
  const message = fc.oneof(
    odd,
    record(
      "conversation",
      "imageMessage",
      "extendedTextMessage",
      "editedMessage",
      "reactionMessage",
      "base64",
    ),
  );
  const data = fc.oneof(
    odd,
    fc.record({ key, message, messageType: odd, messageTimestamp: odd, pushName: odd }, { requiredKeys: [] }),
    record("keyId", "status", "state", "statusReason", "qrcode", "wuid", "profilePictureUrl", "fromMe"),
  );
  const event = fc.constantFrom(
    ...[
      "messages.upsert",
      "messages.update",
      "send.message",
      "connection.update",
      "qrcode.updated",
      "QRCODE_UPDATED",
    ],
  );
  fc.assert(
    fc.property(
      fc.record({ event, data: fc.oneof(data, fc.array(data)), date_time: odd, instance: odd }),
      (body) => {
        expect(readWebhook(body, new Date()).content.kind).toBeTypeOf("string");
      },
    ),
    { numRuns: 2_000 },
  );
});

describe("odd bodies", () => {
  test.each([
    ["W10", null],
    ["W10", []],
    ["W10", "text"],
    ["W10", 7],
    ["W10", {}],
    ["W10", { event: 7 }],
    ["W10", { event: "x".repeat(1_000) }],
    ["W10", { event: "messages.upsert" }],
    ["W10", { event: "messages.upsert", data: [] as unknown[][0] }],
    ["W10", { event: "connection.update", data: {} }],
    ["W10", { event: "qrcode.updated", data: {} }],
    [
      "W10",
      JSON.parse(
        '{"event":"messages.upsert","data":{"__proto__":{"key":{"id":"1","remoteJid":"5511911112222@s.whatsapp.net"}}}}',
      ),
    ],
    ["W11", upsert({ key: { remoteJid: KEY.remoteJid }, message: { conversation: "Oi" } })],
    ["W11", upsert({ key: { id: "", remoteJid: KEY.remoteJid }, message: { conversation: "Oi" } })],
    ["W11", upsert({ key: { id: "x".repeat(1_000), remoteJid: KEY.remoteJid }, message: {} })],
    ["W11", { event: "messages.update", data: { status: "READ" } }],
  ])("%s %j is malformed", (_id, body) => {
    expect(read(body).content).toEqual({ kind: "malformed" });
  });

  test("W10 nesting without end is read without falling over", () => {
    const deep = JSON.parse(`${'{"message":'.repeat(5_000)}1${"}".repeat(5_000)}`) as unknown;
    expect(read(upsert({ key: KEY, message: deep })).content.kind).toBe("messages");
  });

  test("W05 an event of unknown name is unknown, a known unused one is ignored", () => {
    expect(read({ event: "moon.phase", data: {} }).content).toEqual({ kind: "unknown" });
    for (const event of ["contacts.upsert", "chats.update", "CHATS_UPDATE", "presence-update"])
      expect(read({ event, data: {} }).content).toEqual({ kind: "ignored" });
  });

  test.each([
    [0, NOW],
    [-5, NOW],
    [4_102_444_800, NOW],
    ["amanhã", NOW],
    [null, NOW],
    [Number.NaN, NOW],
    [`${TIME}`, new Date(TIME * 1_000)],
    [TIME * 1_000, new Date(TIME * 1_000)],
    [NOW.getTime() / 1_000 + 60, NOW],
  ])("W12 a message dated %s", (messageTimestamp, at) => {
    expect(message({ conversation: "Oi" }, { messageTimestamp })?.at).toEqual(at);
  });

  test("W13 a picture of 20 MB is not taken from the event, and neither is what is no base64", () => {
    const picture = (base64: string) => message({ imageMessage: {}, base64 })?.file?.content?.length ?? null;
    expect(picture(Buffer.alloc(20 * 1024 * 1024).toString("base64"))).toBeNull();
    expect(picture("not base64 at all!")).toBeNull();
    expect(picture(`A${"=".repeat(400_000)}A`)).toBeNull();
    expect(picture(`data:image/png;base64,${Buffer.alloc(10, 7).toString("base64")}`)).toBe(10);
    expect(message({ conversation: "oi", base64: "AAAA" })?.file).toBeNull();
  });

  test("a file is described as its message says, as far as that can be", () => {
    const said = {
      mimetype: "application/pdf",
      fileLength: { low: 9, high: 0, unsigned: true },
      pageCount: 3,
    };
    const boleto = message({
      documentWithCaptionMessage: { message: { documentMessage: { ...said, fileName: "C:\\x\\a.pdf" } } },
    });
    expect(boleto?.file).toEqual({
      kind: "document",
      mime: "application/pdf",
      name: "a.pdf",
      size: 9,
      seconds: null,
      pages: 3,
      source: null,
      content: null,
    });
    expect(message({ audioMessage: { ptt: true, seconds: 12 }, base64: "QUJD" })?.file).toMatchObject({
      kind: "voice",
      seconds: 12,
      content: Buffer.from("ABC"),
    });
    const odd = { mimetype: "x".repeat(9_000), fileLength: -4, seconds: 1e9, fileName: 7 };
    expect(message({ videoMessage: odd })?.file).toMatchObject({
      mime: "application/octet-stream",
      name: "",
      size: null,
      seconds: null,
    });
  });

  test("a message of a megabyte is cut, halves of characters and NUL go", () => {
    expect(message({ conversation: "é".repeat(1_000_000) })?.text).toHaveLength(65_536);
    expect(message({ conversation: "a\0b\ud800" })?.text).toBe("ab\ufffd");
  });
});
