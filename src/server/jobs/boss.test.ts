import { expect, onTestFinished, test, vi } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { openJobs } from "./boss.ts";

const { database } = await testDatabase();

test("a job that is asked for runs once, and its hour is kept in the database", async () => {
  const ran: string[] = [];
  const jobs = await openJobs(database, testLog, [
    { name: "recount", cron: "17 6 * * *", run: async () => void ran.push("recount") },
  ]);
  onTestFinished(() => jobs.stop());
  await jobs.runNow("recount");
  await vi.waitFor(() => expect(ran).toEqual(["recount"]), { timeout: 15_000 });
  const { rows } = await database.query("select name, cron from pgboss.schedule");
  expect(rows).toEqual([{ name: "recount", cron: "17 6 * * *" }]);
});
