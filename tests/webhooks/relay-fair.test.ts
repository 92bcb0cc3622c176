import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterAll, expect, test, vi } from "vitest";
import { RelayWorker } from "../../src/server/gateways/relay.ts";
import { takeRelays } from "../../src/server/gateways/relay-repo.ts";
import { readPrivateHosts } from "../../src/server/net/addresses.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { rowsRead } from "../support/rows-read.ts";
import { makeInstance } from "./lab.ts";

const { db } = await testDatabase();
const MB = 1024 * 1024;
/** Connections per host as in the product. */
const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts("127.0.0.1"), connections: 128 });
const servers: http.Server[] = [];
afterAll(async () => {
  for (const one of servers) {
    one.closeAllConnections();
    one.close();
  }
  await guardedFetch.close();
});

async function personsServer(answers: (path: string) => boolean) {
  const received: number[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks = (await request.toArray()) as Buffer[];
    received.push(Buffer.concat(chunks).length);
    if (answers(request.url ?? "")) response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/gancho`, received };
}

async function waitingMessages(
  relayUrl: string,
  { accountId, bytes }: { accountId?: string; bytes: number },
) {
  const made = await makeInstance(db, { relayUrl, ...(accountId ? { accountId } : {}) });
  await sql`insert into webhook_relay (connection_id, key, body)
    select ${made.connectionId}, n::text, '{"data":"' || repeat('x', ${bytes}) || '"}' from generate_series(1, 4) n`.execute(
    db,
  );
  return made.accountId;
}

test("pictures for an account's silent addresses delay no pictures or messages of other accounts", async () => {
  const [silent, quick] = [await personsServer(() => false), await personsServer(() => true)];
  const accountId = await waitingMessages(silent.url, { bytes: 6 * MB });
  for (let i = 0; i < 3; i++) await waitingMessages(silent.url, { accountId, bytes: 6 * MB });
  const relay = new RelayWorker({
    db,
    log: testLog,
    guardedFetch,
    mark: () => undefined,
    // The silent requests stay in flight for the whole test.
    times: { first: 20, longest: 80, timeout: 300_000, poll: 20, stop: 100 },
  });
  await vi.waitFor(() => expect(silent.received.length).toBeGreaterThanOrEqual(3), 60_000);
  // Larger than theirs: a small size must not be the reason to pass.
  await waitingMessages(quick.url, { bytes: 7 * MB });
  await waitingMessages(quick.url, { bytes: 10 });
  await vi.waitFor(() => expect(quick.received).toHaveLength(8), { timeout: 60_000, interval: 20 });
  expect(silent.received).toHaveLength(3);
  await relay.close();
});

test("small messages are passed on while as many pictures as may be wait for accounts whose addresses never answer", async () => {
  await sql`delete from webhook_relay`.execute(db);
  const [silent, quick] = [await personsServer(() => false), await personsServer(() => true)];
  for (let i = 0; i < 6; i++) await waitingMessages(silent.url, { bytes: 7 * MB });
  const relay = new RelayWorker({
    db,
    log: testLog,
    guardedFetch,
    mark: () => undefined,
    times: { first: 20, longest: 80, timeout: 300_000, poll: 20, stop: 100 },
  });
  await vi.waitFor(() => expect(silent.received.length).toBeGreaterThanOrEqual(7), 60_000);
  await waitingMessages(quick.url, { bytes: 10 });
  await vi.waitFor(() => expect(quick.received).toHaveLength(4), { timeout: 60_000, interval: 20 });
  expect(silent.received).toHaveLength(7);
  await relay.close();
});

test("an account whose address at a host that many use does not answer leaves the others their connections to it", async () => {
  await sql`delete from webhook_relay`.execute(db);
  const host = await personsServer((path) => path.endsWith("/quick"));
  const accountId = await waitingMessages(host.url, { bytes: 10 });
  for (let i = 0; i < 34; i++) await waitingMessages(host.url, { accountId, bytes: 10 });
  const relay = new RelayWorker({
    db,
    log: testLog,
    guardedFetch,
    mark: () => undefined,
    times: { first: 20, longest: 80, timeout: 300_000, poll: 20, stop: 100 },
  });
  await vi.waitFor(() => expect(host.received.length).toBeGreaterThanOrEqual(32), 60_000);
  await waitingMessages(`${host.url}/quick`, { bytes: 1_000 });
  const large = () => host.received.filter((bytes) => bytes > 1_000);
  await vi.waitFor(() => expect(large()).toHaveLength(4), { timeout: 60_000, interval: 20 });
  expect(host.received).toHaveLength(36);
  await relay.close();
});

test("pictures are passed on while as many small messages as may be wait for accounts whose addresses never answer", async () => {
  await sql`delete from webhook_relay`.execute(db);
  const silent = [await personsServer(() => false), await personsServer(() => false)];
  const quick = await personsServer(() => true);
  const hosts = Array.from({ length: 56 }, (_, nth) => silent[nth % 2]?.url ?? "");
  const accounts: string[] = [];
  for (const [nth, url] of hosts.entries()) {
    const accountId = accounts[nth % 7];
    accounts.push(await waitingMessages(url, { bytes: 250_000, ...(accountId ? { accountId } : {}) }));
  }
  const relay = new RelayWorker({
    db,
    log: testLog,
    guardedFetch,
    mark: () => undefined,
    times: { first: 20, longest: 80, timeout: 300_000, poll: 20, stop: 100 },
  });
  const received = () => silent.reduce((sum, one) => sum + one.received.length, 0);
  await vi.waitFor(() => expect(received()).toBeGreaterThanOrEqual(200), 60_000);
  await waitingMessages(quick.url, { bytes: MB });
  await vi.waitFor(() => expect(quick.received).toHaveLength(4), { timeout: 60_000, interval: 20 });
  await relay.close();
});

test("27.1 thirty thousand messages that wait for one address are passed over, not read, to find those of others", async () => {
  await sql`truncate webhook_relay`.execute(db);
  const quiet = await makeInstance(db, { relayUrl: "http://127.0.0.1:1/q" });
  await sql`insert into webhook_relay (connection_id, key, body) values (${quiet.connectionId}, 'q', '{}')`.execute(
    db,
  );
  await sql`delete from webhook_relay`.execute(db);
  await sql`analyze webhook_relay`.execute(db);
  const flooded = await makeInstance(db, { relayUrl: "http://127.0.0.1:1/a" });
  const other = await makeInstance(db, { relayUrl: "http://127.0.0.1:1/b" });
  await sql`insert into webhook_relay (connection_id, key, body)
    select ${flooded.connectionId}::bigint, n::text, '{}' from generate_series(1, 30000) n`.execute(db);
  await sql`insert into webhook_relay (connection_id, key, body) values (${other.connectionId}, 'o', '{}')`.execute(
    db,
  );
  const room = {
    left: MB,
    leftForLarge: MB,
    ownOfLarge: MB,
    small: MB,
    ofAccount: { bytes: MB, messages: 32 },
    held: new Map(),
  };
  const { taken, read } = await db.transaction().execute(async (tx) => {
    let relays: Awaited<ReturnType<typeof takeRelays>> = [];
    const count = await rowsRead(tx, "webhook_relay", async () => {
      relays = await takeRelays(tx, { each: 4, busy: [], room, leaseMs: 60_000 });
    });
    return { taken: relays, read: count };
  });
  expect(taken.map(({ connectionId }) => connectionId)).toContain(other.connectionId);
  expect(taken).toHaveLength(5);
  expect(read).toBeLessThan(1_000);
});
