import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import { apiKeyPlace } from "../../src/server/gateways/access.ts";
import { testDatabase } from "../support/database.ts";
import { endState, type LabOptions, type MadeInstance, makeInstance, openLab, SECRETS } from "./lab.ts";

const database = await testDatabase();
const { db } = database;
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await sql`update connection set state = 'disconnected'`.execute(db);
});

type Asked = { name: string; page: number; fromMe: boolean };

async function startPages({ ms, pages, said = "Oi" }: { ms: number; pages: number; said?: string }) {
  const asked: Asked[] = [];
  let [now, most] = [0, 0];
  const server = http.createServer(async (request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.method === "GET") {
      response.end("null");
      return;
    }
    const chunks = (await request.toArray()) as Buffer[];
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      page: number;
      where: { key?: { fromMe?: true } };
    };
    const name = request.url?.split("/").at(-1) ?? "";
    asked.push({ name, page: body.page, fromMe: body.where.key?.fromMe ?? false });
    most = Math.max(most, ++now);
    await pause(ms);
    now--;
    const key = { id: `M${body.page}`, fromMe: false, remoteJid: "5511911112222@s.whatsapp.net" };
    const record = {
      key,
      message: { conversation: `${said} ${body.page}` },
      messageTimestamp: 1_763_629_559,
    };
    const records = [{ ...record, messageType: "conversation", source: "ios", pushName: "Ana" }];
    response.end(JSON.stringify({ messages: { total: pages, pages, currentPage: body.page, records } }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, most: () => most };
}

async function instanceAt(url: string, accountId?: string): Promise<MadeInstance> {
  const made = await makeInstance(db, accountId ? { accountId } : {});
  await sql`update gateway set url = ${`${url}/${made.gatewayId}`}, api_key = ${SECRETS.seal("key", apiKeyPlace(made.gatewayId))}
    where id = ${made.gatewayId}`.execute(db);
  return made;
}

async function startChecks(gapTimes: LabOptions["gapTimes"]): Promise<void> {
  const lab = await openLab(database, { gapTimes: { look: 20, again: 100, ...gapTimes } });
  ends.unshift(lab.close);
}

const textsOf = async (instance: MadeInstance) =>
  ((await endState(db, instance)).messages as { text: string }[]).map(({ text }) => text).sort();
const checkedTo = async ({ connectionId }: MadeInstance) =>
  (
    await sql<{
      to: Date | null;
    }>`select checked_to as to from instance where connection_id = ${connectionId}`.execute(db)
  ).rows[0]?.to;

test("gateways of other accounts that take long over every page are not what an account waits for", async () => {
  const slow = await startPages({ ms: 150, pages: 200 });
  const accounts = await Promise.all(Array.from({ length: 6 }, () => instanceAt(slow.url)));
  await Promise.all(accounts.map(({ accountId }) => instanceAt(slow.url, accountId)));
  await startChecks({ budget: 300, slow: 100 });
  await vi.waitFor(() => expect(slow.asked.length).toBeGreaterThan(4), 60_000);

  const quick = await startPages({ ms: 0, pages: 1, said: "E eu?" });
  const neighbour = await instanceAt(quick.url);
  await vi.waitFor(async () => expect(await textsOf(neighbour)).toEqual(["E eu? 1"]), {
    timeout: 60_000,
    interval: 20,
  });
  const furthest = Math.max(...slow.asked.map(({ page }) => page));
  expect(furthest).toBeLessThan(100);
});

test("a check that has used up its time goes on where it was, until all is taken in", async () => {
  const slow = await startPages({ ms: 20, pages: 6 });
  const instance = await instanceAt(slow.url);
  await startChecks({ budget: 10, slow: 5 });
  await vi.waitFor(async () => expect(await checkedTo(instance)).toBeInstanceOf(Date), {
    timeout: 60_000,
    interval: 20,
  });
  const news = () => slow.asked.filter(({ fromMe }) => !fromMe).map(({ page }) => page);
  expect(news()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await textsOf(instance)).toEqual(["Oi 1", "Oi 2", "Oi 3", "Oi 4", "Oi 5", "Oi 6"]);
  expect((await checkedTo(instance))?.getTime()).toBeGreaterThan(Date.now() - 60_000);
});

test("an account has one place at a time, and its instances take turns", async () => {
  const slow = await startPages({ ms: 50, pages: 3 });
  const first = await instanceAt(slow.url);
  const names = [first.name];
  for (let i = 0; i < 3; i++) names.push((await instanceAt(slow.url, first.accountId)).name);
  await startChecks({ budget: 10, slow: 5 });
  await vi.waitFor(() => expect(slow.asked.length).toBeGreaterThanOrEqual(8), 60_000);
  expect(slow.most()).toBe(1);
  expect(
    slow.asked
      .slice(0, 4)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names.sort());
});

test("a gateway whose news take all the time of a check is asked what became of our messages too", async () => {
  const slow = await startPages({ ms: 40, pages: 1 });
  await instanceAt(slow.url);
  await startChecks({ budget: 20, slow: 5, every: 1, far: 1 });
  const far = () => slow.asked.filter(({ fromMe }) => fromMe).map(({ page }) => page);
  await vi.waitFor(() => expect(far().slice(0, 2)).toEqual([1, 1]), { timeout: 60_000, interval: 20 });
});

test("a check resumed at another address starts at its first page", async () => {
  const before = await startPages({ ms: 200, pages: 200 });
  const instance = await instanceAt(before.url);
  await startChecks({ budget: 10, slow: 5 });
  await vi.waitFor(() => expect(before.asked.length).toBeGreaterThan(0), 60_000);
  const after = await startPages({ ms: 0, pages: 4, said: "Mudei" });
  await sql`update gateway set url = ${`${after.url}/${instance.gatewayId}`} where id = ${instance.gatewayId}`.execute(
    db,
  );
  await vi.waitFor(async () => expect(await checkedTo(instance)).toBeInstanceOf(Date), {
    timeout: 60_000,
    interval: 20,
  });
  const news = after.asked.filter(({ fromMe }) => !fromMe).map(({ page }) => page);
  expect(news.slice(0, 4)).toEqual([1, 2, 3, 4]);
});
