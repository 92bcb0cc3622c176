import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { makeInstance } from "../../../tests/webhooks/lab.ts";
import type { MessageSearch } from "../transports/gateway/evolution-requests.ts";
import type { StoredMessage } from "../transports/gateway/stored-message.ts";
import type { IncomingMessage } from "../transports/transport.ts";
import { gatewayBacklogs } from "./backlog.ts";

const { db } = await testDatabase();

const NOW = new Date("2026-11-26T12:30:00Z");
const OPEN = new Date(NOW.getTime() - 1_000);
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

const written = (id: string, at: Date, text = "SAIR"): StoredMessage => ({
  providerId: id,
  statuses: [],
  message: {
    providerId: id,
    chat: ["5511900000001@s.whatsapp.net"],
    fromMe: false,
    viaApi: false,
    pushName: null,
    participant: null,
    kind: "text",
    text,
    file: null,
    quotedId: null,
    at,
  },
});

function gatewayWith(held: StoredMessage[]) {
  const asked: { from: Date; to: Date }[] = [];
  const taken: string[] = [];
  const findMessages = async (_name: string, { between, page = 1 }: MessageSearch) => {
    if (between && page === 1) asked.push(between);
    return { total: held.length, pages: 1, messages: [...held] };
  };
  const open = gatewayBacklogs({
    db,
    backMs: 15 * 60_000,
    clock: { now: () => NOW, monotonic: () => 0 },
    access: async () => ({
      baseUrl: "https://gateway.example",
      apiKey: "x",
      name: "loja",
      integration: "WHATSAPP-BAILEYS",
      number: null,
    }),
    clientOf: () => ({ findMessages }),
    receiveMessages: async (_of, messages: readonly IncomingMessage[]) => {
      taken.push(...messages.map(({ providerId }) => providerId));
    },
    recordOutgoing: async () => undefined,
    settleReceipts: async () => undefined,
  });
  return { open, asked, taken };
}

test("26.21 everything since the last check is taken in, and the check is noted", async () => {
  const of = await makeInstance(db);
  await sql`update instance set checked_to = ${minutesAgo(60)} where connection_id = ${of.connectionId}`.execute(
    db,
  );
  const it = gatewayWith([written("A", minutesAgo(50))]);
  await it.open(of).read(OPEN);
  expect(it.taken).toEqual(["A"]);
  expect(it.asked).toEqual([{ from: minutesAgo(62), to: NOW }]);
  const { rows } =
    await sql`select checked_to from instance where connection_id = ${of.connectionId}`.execute(db);
  expect(rows).toEqual([{ checked_to: NOW }]);
});

test("26.21 late messages of the time away are found by the next read, which starts equally early", async () => {
  const of = await makeInstance(db);
  await sql`update instance set checked_to = ${minutesAgo(60)} where connection_id = ${of.connectionId}`.execute(
    db,
  );
  const held: StoredMessage[] = [];
  const it = gatewayWith(held);
  const backlog = it.open(of);
  expect(await backlog.read(OPEN)).toBe(false);
  held.push(written("A", minutesAgo(50)));
  expect(await backlog.read(OPEN)).toBe(true);
  // New messages do not show that the backlog is complete.
  held.push(written("B", NOW, "Oi"));
  expect(await backlog.read(OPEN)).toBe(false);
  expect(new Set(it.asked.map(({ from }) => from.getTime())).size).toBe(1);
  expect(new Set(it.taken)).toEqual(new Set(["A", "B"]));
});
