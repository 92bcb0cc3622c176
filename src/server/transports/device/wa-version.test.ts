import { DEFAULT_CONNECTION_CONFIG } from "baileys";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import { type FetchVersion, loadWaVersion } from "./wa-version.ts";

const { db } = await testDatabase();
const bundled = DEFAULT_CONNECTION_CONFIG.version;
const newer = [2, 3000, bundled[2] + 10];
let today = new Date("2026-11-20T12:00:00Z");
const clock = { now: () => today, monotonic: () => 0 };

beforeEach(async () => {
  await sql`delete from setting`.execute(db);
  today = new Date("2026-11-20T12:00:00Z");
});

const load = (fetchLatest: FetchVersion, fixed: [number, number, number] | null = null) =>
  loadWaVersion({ db, clock, log: testLog, fixed, fetchLatest });
const offline: FetchVersion = () => Promise.reject(new TypeError("fetch failed"));

test("without network it starts with the bundled version, and a failed question changes nothing", async () => {
  const version = await load(offline);
  expect(version.current()).toEqual(bundled);
  expect(await version.refresh()).toBe(false);
  expect(version.current()).toEqual(bundled);
});

test("a fetched version is kept for the next start, and asked for again only after a day", async () => {
  let asked = 0;
  const online: FetchVersion = async () => {
    asked += 1;
    return { version: newer, isLatest: true };
  };
  const version = await load(online);
  expect(await version.refresh()).toBe(true);
  const next = await load(offline);
  expect(next.current()).toEqual(newer);
  const third = await load(online);
  third.refreshIfStale();
  expect(asked).toBe(1);
  today = new Date("2026-11-21T12:00:01Z");
  third.refreshIfStale();
  expect(asked).toBe(2);
});

test("an answer that is no version, or older than the bundled one, is not used", async () => {
  const odd = await load(async () => ({ version: [2], isLatest: true }));
  expect(await odd.refresh()).toBe(false);
  const old = await load(async () => ({ version: [2, 3000, 1], isLatest: true }));
  await old.refresh();
  expect(old.current()).toEqual(bundled);
});

test("the operator's version stands above all", async () => {
  const version = await load(async () => ({ version: newer, isLatest: true }), [2, 3000, 7]);
  await version.refresh();
  expect(version.current()).toEqual([2, 3000, 7]);
});
