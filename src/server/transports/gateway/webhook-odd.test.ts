import fc from "fast-check";
import { expect, test } from "vitest";
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
