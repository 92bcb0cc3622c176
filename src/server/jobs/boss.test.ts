import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import { logTo } from "../base/log.ts";
import { openDatabase } from "../db/client.ts";
import { lockMigrations } from "../db/migrate.ts";
import { openJobs } from "./boss.ts";

const { database } = await testDatabase();

test("a job that is asked for runs once, and its hour is kept in the database", async () => {
  const ran: string[] = [];
  const jobs = await openJobs(database, testLog, 1);
  onTestFinished(() => jobs.stop());
  await jobs.schedule([{ name: "recount", cron: "17 6 * * *", run: async () => void ran.push("recount") }]);
  await jobs.runNow("recount");
  await vi.waitFor(() => expect(ran).toEqual(["recount"]), { timeout: 60_000 });
  const { rows } = await database.query("select name, cron from pgboss.schedule");
  expect(rows).toEqual([{ name: "recount", cron: "17 6 * * *" }]);
});

test("a failed hourly job is logged with its reason", async () => {
  const { database: own } = await testDatabase();
  const lines: string[] = [];
  const jobs = await openJobs(own, logTo("warn", { write: (line: string) => void lines.push(line) }), 1);
  onTestFinished(() => jobs.stop());
  const run = () => Promise.reject(new Error("counters cannot be read"));
  await jobs.schedule([{ name: "recount", cron: "17 6 * * *", run }]);
  await jobs.runNow("recount");
  await vi.waitFor(() => expect(lines.join("")).toContain("counters cannot be read"), { timeout: 60_000 });
  expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ job: "recount", msg: "job failed" });
});

test("who starts while another process makes the tables of the jobs waits for it", async () => {
  const { url, database: first } = await testDatabase();
  const second = openDatabase(url, { log: testLog });
  onTestFinished(() => second.close());
  const starting = await first.session(({ db }) =>
    lockMigrations(db, () =>
      unhurried(db, async (tx) => {
        await sql`create schema pgboss`.execute(tx);
        const jobs = openJobs(second, testLog, 1);
        jobs.catch(() => undefined);
        await untilWaiting(first.db);
        return { jobs };
      }),
    ),
  );
  const jobs = await starting.jobs;
  await jobs.stop();
});

test("per key one job waits while another may run; a failed job is retried", async () => {
  const jobs = await openJobs(database, testLog, 1);
  onTestFinished(() => jobs.stop());
  const queue = await jobs.queue<{ word: string }>({
    name: "words",
    workers: 2,
    silenceSeconds: 10,
    pollMs: 10_000,
  });
  const ran: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let failed = false;
  await queue.work(async ({ word }) => {
    ran.push(word);
    if (word === "first") await held;
    if (word === "broken" && !failed) {
      failed = true;
      throw new Error("on purpose");
    }
  });
  await queue.put("a", { word: "first" }, 0);
  await vi.waitFor(() => expect(ran).toEqual(["first"]), { timeout: 60_000 });
  await queue.put("a", { word: "second" }, 600_000);
  await queue.put("a", { word: "third" }, 0);
  await database.query(
    "update pgboss.job set start_after = now() where name = 'words' and state = 'created'",
  );
  await queue.put("b", { word: "other" }, 0);
  await vi.waitFor(() => expect(ran.toSorted()).toEqual(["first", "other", "second"]), { timeout: 60_000 });
  release();
  await queue.put("c", { word: "broken" }, 0);
  await vi.waitFor(() => expect(ran.filter((word) => word === "broken")).toHaveLength(2), {
    timeout: 60_000,
  });
  expect(ran).not.toContain("third");
});

test("a job whose process has died is taken up again", async () => {
  const jobs = await openJobs(database, testLog, 1);
  onTestFinished(() => jobs.stop());
  const queue = await jobs.queue<{ n: number }>({
    name: "lost",
    workers: 1,
    silenceSeconds: 10,
    pollMs: 500,
  });
  await queue.put("a", { n: 1 }, 0);
  await database.query(`update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '30 seconds'
    where name = 'lost'`);
  const ran: number[] = [];
  await queue.work(async ({ n }) => void ran.push(n));
  await vi.waitFor(() => expect(ran).toEqual([1]), { timeout: 60_000 });
});
