import { afterAll, expect, test, vi } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { openJobs } from "../jobs/boss.ts";
import { openWorkSignals } from "./work-signals.ts";

const { database } = await testDatabase();
const serving = await openWorkSignals(database, testLog, false);
const working = await openWorkSignals(database, testLog, true);
afterAll(async () => {
  await serving.close();
  await working.close();
});

const PATIENCE = { timeout: 60_000, interval: 20 };

test("what a process that serves tells is heard by one that works, under its name alone", async () => {
  const heard: string[] = [];
  working.hear("imports", () => heard.push("imports"));
  working.hear("webhooks", () => heard.push("webhooks"));
  serving.tell("webhooks");
  await vi.waitFor(() => expect(heard).toEqual(["webhooks"]), PATIENCE);
});

test("a burst sends few signals, and one more at its end for late work", async () => {
  let heard = 0;
  working.hear("burst", () => {
    heard += 1;
  });
  for (let times = 0; times < 1_000; times++) serving.tell("burst");
  await vi.waitFor(() => expect(heard).toBeGreaterThan(1), PATIENCE);
  expect(heard).toBeLessThan(10);
});

test("who works looks at everything after its listening connection was away", async () => {
  const heard = new Set<string>();
  for (const name of ["imports", "webhooks"]) working.hear(name, () => heard.add(name));
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'recado-listen' and datname = current_database()",
  );
  await vi.waitFor(() => expect([...heard]).toEqual(["imports", "webhooks"]), PATIENCE);
});

test("a job put by a process that takes none is begun at once by one that does, not at its next look", async () => {
  const here = await openJobs(database, testLog, 1, { works: false, signals: serving });
  const there = await openJobs(database, testLog, 1, { works: true, signals: working });
  const options = { name: "signalled", workers: 1, silenceSeconds: 30, pollMs: 600_000 };
  const done: number[] = [];
  const queue = await there.queue<{ n: number }>(options);
  await queue.work(async ({ n }) => void done.push(n));
  await (await here.queue<{ n: number }>(options)).put("a", { n: 7 }, 50);
  await vi.waitFor(() => expect(done).toEqual([7]), PATIENCE);
  await here.stop();
  await there.stop();
});
