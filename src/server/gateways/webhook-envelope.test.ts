import { expect, test } from "vitest";
import { readEnvelope } from "./webhook-envelope.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const read = (body: Record<string, unknown>) => readEnvelope(body, () => JSON.stringify(body), NOW);

test("a repeated event has the same key, another event another", () => {
  const message = { event: "messages.upsert", data: { key: { id: "3EB0" } } };
  const receipt = { event: "messages.update", data: { keyId: "3EB0", status: "READ" } };
  expect(read(message).key).toBe("messages.upsert:3EB0");
  expect(read({ ...message, date_time: "2026-11-20T11:00:00Z" }).key).toBe("messages.upsert:3EB0");
  expect(read({ ...message, event: "send.message" }).key).toBe("send.message:3EB0");
  expect(read(receipt).key).toBe("messages.update:3EB0:READ");
  expect(read({ ...receipt, data: { keyId: "3EB0", status: "DELIVERY_ACK" } }).key).not.toBe(
    read(receipt).key,
  );
  expect(read({ event: "messages.update", data: { keyId: "3EB0" } }).key).toMatch(/^messages\.update#/);
});

test("however an event's name is written, it is one", () => {
  for (const event of ["connection.update", "CONNECTION_UPDATE", "connection-update", "Connection.Update"])
    expect(read({ event, data: {} })).toMatchObject({
      event: "connection.update",
      key: "connection.update",
      newestWins: true,
    });
  expect(read({ event: "a b", data: {} }).event).toBe("malformed");
  expect(read({ event: "x".repeat(61) }).event).toBe("malformed");
});

test("ids that are no plain words cannot break out of their key", () => {
  for (const id of ["a\x1eb", "a\nb", "á", "", "x".repeat(161), 7, null, {}])
    expect(read({ event: "messages.upsert", data: { key: { id } } }).key).toMatch(
      /^messages\.upsert#[\w-]{43}$/,
    );
});

test("a time counts as far as a time zone may have moved it; anything else is now", () => {
  expect(read({ event: "x", date_time: "2026-11-20T09:00:00.123Z" }).stamp).toBe(
    Date.UTC(2026, 10, 20, 9, 0, 0, 123),
  );
  expect(read({ event: "x", date_time: "2026-11-21T02:00:00Z" }).stamp).toBe(NOW + 14 * 3_600_000);
  for (const date_time of ["2026-11-22T12:00:00Z", "9999-01-01", "1970-01-01", "ontem", 0, null, undefined])
    expect(read({ event: "x", date_time }).stamp).toBe(NOW);
});
