import { sql } from "kysely";
import { expect, test } from "vitest";
import { applyMigrations, migrate, readMigrations } from "../../src/server/db/migrate.ts";
import { openJobs } from "../../src/server/jobs/boss.ts";
import { testDatabase, testLog } from "../support/database.ts";

const FIRST = "0079_account_limits.sql";

const { db, database } = await testDatabase({ empty: true });

test("27.6 accounts of before keep the operator's services, and chats that waited for an assistant go on waiting", async () => {
  const before = readMigrations().filter(({ name }) => name < FIRST);
  await db.transaction().execute((tx) => applyMigrations(tx, before));
  const { rows } = await sql<{
    id: string;
  }>`insert into account (name, email, terms_version, terms_accepted_at)
    values ('Ana', 'ana@exemplo.com.br', 'v1', now()) returning id`.execute(db);
  const accountId = rows[0]?.id;
  const jobs = await openJobs(database, testLog, 1);
  const queue = await jobs.queue<{ accountId: unknown; chatId: number; waited: boolean }>({
    name: "assistant",
    workers: 1,
    silenceSeconds: 10,
    pollMs: 10_000,
  });
  await queue.put("7", { accountId, chatId: 7, waited: true }, 60_000);
  await queue.put("8", { accountId, chatId: 8, waited: false }, 0);
  await queue.put("9", { accountId: "11111111-1111-4111-8111-111111111111", chatId: 9, waited: true }, 0);
  await jobs.stop();

  await migrate(database, testLog);

  const services = await sql`select account_id as account, service from operator_service order by 2`.execute(
    db,
  );
  expect(services.rows).toEqual(
    ["gateways", "mail", "mistral"].map((service) => ({ account: accountId, service })),
  );
  const waiting =
    await sql`select account_id as account, chat_id as chat, waited, due_at > now() + interval '50 seconds' as later,
      taken_until from answer_job order by chat_id`.execute(db);
  expect(waiting.rows).toEqual([
    { account: accountId, chat: 7, waited: true, later: true, taken_until: null },
    { account: accountId, chat: 8, waited: false, later: false, taken_until: null },
  ]);
  expect((await sql`select from pgboss.job where name = 'assistant'`.execute(db)).rows).toEqual([]);
});
