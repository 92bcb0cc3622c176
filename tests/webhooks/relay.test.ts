import http from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterAll, expect, test, vi } from "vitest";
import { recordAttempt } from "../../src/server/gateways/relay-repo.ts";
import { hookChanged } from "../../src/server/gateways/webhook-hooks.ts";
import { testDatabase } from "../support/database.ts";
import { endState, type MadeInstance, makeInstance, openLab, upsert } from "./lab.ts";

const database = await testDatabase();
const { db } = database;
const times = { first: 20, longest: 80, timeout: 3_000, poll: 20, stop: 100 };
const { send, settled, webhooks } = await openLab(database, { relayTimes: times });

type Arrived = { url: string; body: Record<string, unknown>; type: string | undefined };

async function personsServer(
  answerOf: (arrived: Arrived, nth: number) => number | null | string,
  page = "ok",
) {
  const arrived: Arrived[] = [];
  const server = http.createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    request.on("end", () => {
      const one = { url: request.url ?? "", body: JSON.parse(text), type: request.headers["content-type"] };
      arrived.push(one);
      const answer = answerOf(one, arrived.length);
      if (answer === null) return;
      if (typeof answer === "string") response.writeHead(302, { location: answer });
      else response.writeHead(answer);
      response.end(page);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/meu/webhook`, arrived };
}

const rowsOf = async ({ connectionId }: MadeInstance) =>
  (
    await sql<{
      key: string;
      tries: number;
      status: number | null;
      error: string | null;
      done: boolean;
      body: string | null;
    }>`
    select key, tries, status, error, done_at is not null as done, body from webhook_relay
    where connection_id = ${connectionId} order by id`.execute(db)
  ).rows;

const untilDone = (instance: MadeInstance, count = 1) =>
  vi.waitFor(async () => {
    const rows = await rowsOf(instance);
    expect(rows.map(({ done }) => done)).toEqual(Array(count).fill(true));
    return rows;
  }, 60_000);

/** Written after the message's row: polls until both belong to one attempt. */
const lastOf = async ({ connectionId }: MadeInstance) =>
  (
    await sql`select relay_status as status, relay_error as error, relay_at is not null as relayed from instance
      where connection_id = ${connectionId}`.execute(db)
  ).rows[0];

test("every message is passed on once, in the gateway's own body, without its key, with its media @spec 9.12 @decision 21", async () => {
  const { url, arrived } = await personsServer(() => 200);
  const instance = await makeInstance(db, { relayUrl: url });
  const media = { messageType: "audioMessage", message: { audioMessage: { seconds: 3 }, base64: "QUJD" } };
  const event = upsert("R1", "", media);
  for (let at = 0; at < 3; at++) await send(instance, event);
  await settled();
  await send(instance, event);
  await send(instance, { event: "messages.update", data: { keyId: "R1", fromMe: true, status: "READ" } });
  await send(instance, {
    event: "send.message",
    data: { key: { id: "S1", remoteJid: "5511911112222@s.whatsapp.net", fromMe: true } },
  });
  await settled();
  const rows = await untilDone(instance);
  const { apikey: _, ...relayed } = event as Record<string, unknown>;
  expect(arrived).toEqual([
    {
      url: "/meu/webhook",
      type: "application/json",
      body: { instance: instance.name, ...relayed, destination: url },
    },
  ]);
  expect(rows).toMatchObject([{ key: "messages.upsert:R1", tries: 1, status: 200, body: null }]);
  await expect.poll(() => lastOf(instance)).toEqual({ status: 200, error: null, relayed: true });
});

test("5xx, 429 and timeouts are retried ten times at most; the message stays visible @decision 21", async () => {
  const answers = [500, null, 429, 503];
  const passing = await personsServer((_, nth) => (nth > answers.length ? 200 : (answers[nth - 1] ?? null)));
  const down = await personsServer(() => 500);
  const [mended, broken] = [
    await makeInstance(db, { relayUrl: passing.url }),
    await makeInstance(db, { relayUrl: down.url }),
  ];
  await Promise.all([send(mended, upsert("A", "Oi")), send(broken, upsert("A", "Oi"))]);
  await settled();
  expect((await endState(db, broken)).messages).toHaveLength(1);
  expect(await untilDone(mended)).toMatchObject([{ tries: 5, status: 200 }]);
  expect(await untilDone(broken)).toMatchObject([{ tries: 10, status: 500, body: null }]);
  expect(down.arrived).toHaveLength(10);
  await expect.poll(() => lastOf(broken)).toEqual({ status: 500, error: null, relayed: true });
});

test("what would be refused again is not tried again: 4xx, redirects, private and forbidden addresses", async () => {
  const refusing = await personsServer(() => 404);
  const inside = await personsServer(() => 200);
  const moving = await personsServer(() => inside.url);
  const urls = [refusing.url, moving.url, "http://10.0.0.1/", "file:///etc/passwd"];
  const instances = await Promise.all(urls.map((relayUrl) => makeInstance(db, { relayUrl })));
  for (const instance of instances) await send(instance, upsert("B", "Oi"));
  await settled();
  const ends = await Promise.all(instances.map((instance) => untilDone(instance)));
  expect(ends.flat().map(({ tries, status, error }) => [tries, status, error])).toEqual([
    [1, 404, null],
    [1, null, "redirect"],
    [1, null, "url_private"],
    [1, null, "url_forbidden"],
  ]);
  expect(inside.arrived).toEqual([]);
});

test("an answer with a large page is what its status says: 503 is tried again, 200 is delivered", async () => {
  const talking = await personsServer((_, nth) => (nth === 1 ? 503 : 200), "<p>".repeat(100_000));
  const instance = await makeInstance(db, { relayUrl: talking.url });
  await send(instance, upsert("L", "Oi"));
  await settled();
  expect(await untilDone(instance)).toMatchObject([{ tries: 2, status: 200, error: null }]);
  await expect.poll(() => lastOf(instance)).toEqual({ status: 200, error: null, relayed: true });
  expect(talking.arrived).toHaveLength(2);
});

test("an address that asks for another try by its status gets it: 408, 425", async () => {
  const waiting = await personsServer((_, nth) => [408, 425][nth - 1] ?? 200);
  const instance = await makeInstance(db, { relayUrl: waiting.url });
  await send(instance, upsert("E", "Oi"));
  await settled();
  expect(await untilDone(instance)).toMatchObject([{ tries: 3, status: 200 }]);
});

test("a silent server delays only its own messages, and no intake", async () => {
  const silent = await personsServer(() => null);
  const quick = await personsServer(() => 200);
  const [slow, other] = [
    await makeInstance(db, { relayUrl: silent.url }),
    await makeInstance(db, { relayUrl: quick.url }),
  ];
  for (let at = 0; at < 40; at++) expect((await send(slow, upsert(`C${at}`, "Oi"))).status).toBe(200);
  await send(other, upsert("C", "Oi"));
  await settled();
  await untilDone(other);
  expect((await rowsOf(slow)).every(({ done }) => !done)).toBe(true);
  expect((await endState(db, slow)).messages).toHaveLength(40);

  await sql`update instance set relay_url = null where connection_id = ${slow.connectionId}`.execute(db);
  await hookChanged(db, slow.connectionId);
  await untilDone(slow, 40);
});

test("a message in flight at the product's stop is relayed by the next process", async () => {
  const own = await testDatabase();
  const { url, arrived } = await personsServer((_, nth) => (nth === 1 ? null : 200));
  const instance = await makeInstance(own.db, { relayUrl: url });
  const relayTimes = { ...times, timeout: 60_000 };
  const stopped = await openLab(own, { relayTimes });
  await stopped.send(instance, upsert("D", "Oi"));
  await expect.poll(() => arrived.length).toBe(1);
  await stopped.close();
  const next = await openLab(own, { relayTimes });
  await expect.poll(() => arrived.length).toBe(2);
  expect(arrived[1]?.body).toEqual(arrived[0]?.body);
  await next.close();
});

test("a last attempt aborted by the product's stop is repeated by the next process", async () => {
  const own = await testDatabase();
  const { url, arrived } = await personsServer((_, nth) => (nth === 1 ? null : 200));
  const instance = await makeInstance(own.db, { relayUrl: url });
  await sql`insert into webhook_relay (connection_id, key, body, tries)
    values (${instance.connectionId}, 'messages.upsert:T', ${JSON.stringify(upsert("T", "Oi"))}, 9)`.execute(
    own.db,
  );
  const relayTimes = { ...times, timeout: 60_000 };
  const stopped = await openLab(own, { relayTimes });
  await expect.poll(() => arrived.length).toBe(1);
  await stopped.close();
  const next = await openLab(own, { relayTimes });
  await expect.poll(() => arrived.length).toBe(2);
  await next.close();
});

test("messages passed on are forgotten after a week, and given up after a day", async () => {
  const { url } = await personsServer(() => 200);
  const instance = await makeInstance(db, { relayUrl: url });
  await sql`insert into webhook_relay (connection_id, key, body, done_at, next_at, created_at) values
    (${instance.connectionId}, 'old', null, now(), now(), now() - interval '8 days'),
    (${instance.connectionId}, 'known', null, now(), now(), now() - interval '6 days'),
    (${instance.connectionId}, 'stuck', '{}', null, now() + interval '1 hour', now() - interval '25 hours')`.execute(
    db,
  );
  await webhooks.pruneOld();
  expect((await rowsOf(instance)).map(({ key, done, error }) => [key, done, error])).toEqual([
    ["known", true, null],
    ["stuck", true, "expired"],
  ]);
});

test("the result at an address changed since is not reported for the new one", async () => {
  const instance = await makeInstance(db, { relayUrl: "https://novo.example/" });
  const relay = { ...instance, id: 0, body: "{}", tries: 1 };
  const failed = { status: 500, error: null, again: null };
  await recordAttempt(db, { ...relay, url: "https://antigo.example/" }, failed);
  expect(await lastOf(instance)).toEqual({ status: null, error: null, relayed: false });
  await recordAttempt(db, { ...relay, url: "https://novo.example/" }, failed);
  expect(await lastOf(instance)).toEqual({ status: 500, error: null, relayed: true });
});
