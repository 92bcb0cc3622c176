import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, expect, test } from "vitest";
import { apiKeyPlace } from "../../src/server/gateways/access.ts";
import { setMissingHooks } from "../../src/server/gateways/missing-hooks.ts";
import { reachBy } from "../../src/server/gateways/server.ts";
import { readPrivateHosts } from "../../src/server/net/addresses.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { makeInstance, SECRETS } from "./lab.ts";

const { db } = await testDatabase();
const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts("127.0.0.1") });
const deps = {
  secrets: SECRETS,
  log: testLog,
  reach: reachBy(guardedFetch),
  guard: guardedFetch,
  webhookUrl: "https://nos.br",
};
const servers: http.Server[] = [];
afterAll(() => guardedFetch.close());
afterEach(async () => {
  for (const one of servers.splice(0)) {
    one.closeAllConnections();
    one.close();
  }
  await sql`update instance set hook_state = 'ours'`.execute(db);
});

async function startServer(wait: () => Promise<unknown>) {
  const set: string[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks = (await request.toArray()) as Buffer[];
    await wait();
    response.setHeader("content-type", "application/json");
    if (request.method === "GET") return void response.end("null");
    set.push(request.url?.split("/").at(-1) ?? "");
    const { webhook } = JSON.parse(Buffer.concat(chunks).toString()) as { webhook: object };
    response.end(JSON.stringify({ ...webhook, id: "1" }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, set };
}

async function unhooked(url: string, count: number): Promise<string> {
  const { accountId, connectionId, gatewayId } = await makeInstance(db);
  const move = async (connection: number, gateway: number) => {
    await sql`update instance set hook_state = 'unset' where connection_id = ${connection}`.execute(db);
    await sql`update gateway set url = ${`${url}/${gateway}`}, api_key = ${SECRETS.seal("key", apiKeyPlace(gateway))}
      where id = ${gateway}`.execute(db);
  };
  await move(connectionId, gatewayId);
  for (let i = 1; i < count; i++) {
    const more = await makeInstance(db, { accountId });
    await move(more.connectionId, more.gatewayId);
  }
  return accountId;
}

const waiting = async (accountId: string) =>
  (await sql`select from instance where account_id = ${accountId}::uuid and hook_state = 'unset'`.execute(db))
    .rows.length;

test("slow servers of an account delay only its own webhooks", async () => {
  const gate = Promise.withResolvers<void>();
  const [slow, quick] = [await startServer(() => gate.promise), await startServer(async () => undefined)];
  const hostile = await unhooked(slow.url, 24);
  const honest = await Promise.all(Array.from({ length: 5 }, () => unhooked(quick.url, 1)));
  const running = setMissingHooks(deps, db);
  await expect.poll(() => quick.set.length, { timeout: 60_000, interval: 5 }).toBe(5);
  expect(slow.set).toEqual([]);
  gate.resolve();
  await running;
  expect(await waiting(hostile)).toBe(0);
  expect(await Promise.all(honest.map(waiting))).toEqual([0, 0, 0, 0, 0]);
});

test("a run leaves what takes too long for the next one", async () => {
  const slow = await startServer(() => pause(50));
  const account = await unhooked(slow.url, 6);
  const times = { account: 60, run: 60_000 };
  await setMissingHooks(deps, db, null, times);
  const left = await waiting(account);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(6);
  for (let run = 0; run < 6; run++) await setMissingHooks(deps, db, null, times);
  expect(await waiting(account)).toBe(0);
  expect(slow.set).toHaveLength(6);
  const other = await unhooked(slow.url, 1);
  await setMissingHooks(deps, db, null, { account: 60_000, run: 0 });
  expect(await waiting(other)).toBe(1);
});
