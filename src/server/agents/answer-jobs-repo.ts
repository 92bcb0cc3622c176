import { sql } from "kysely";
import { accountRow } from "../db/account.ts";
import type { Db } from "../db/client.ts";

/** One job per chat. `waited`: the quiet time is over. */
export type AnswerJob = { accountId: string; chatId: number; waited: boolean };

/** A claimed job. `tries` counts its starts. */
export type TakenJob = AnswerJob & { id: number; tries: number };

/** Queues a job after a delay; dropped when the chat has one waiting. */
export async function insertJob(
  db: Db,
  { accountId, chatId, waited }: AnswerJob,
  delayMs: number,
): Promise<void> {
  await sql`insert into answer_job (account_id, chat_id, due_at, waited)
    select a.id, ${chatId}, now() + ${delayMs} * interval '1 millisecond', ${waited} from ${accountRow(accountId)} a
    on conflict (chat_id) where taken_until is null do nothing`.execute(db);
}

const FREE = sql`due_at <= now() and (taken_until is null or taken_until < now())`;

export async function accountsWithJobs(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select account_id as id from answer_job where ${FREE}
    group by account_id order by min(due_at)`.execute(db);
  return rows.map(({ id }) => id);
}

/** Oldest due job, also of dead processes. */
export async function takeJob(db: Db, accountId: string, silenceMs: number): Promise<TakenJob | undefined> {
  const { rows } = await sql<TakenJob>`update answer_job set tries = tries + 1,
      taken_until = now() + ${silenceMs} * interval '1 millisecond'
    where id = (select id from answer_job where account_id = ${accountId}::uuid and ${FREE}
      order by due_at, id limit 1 for update skip locked)
    returning id, account_id as "accountId", chat_id as "chatId", waited, tries`.execute(db);
  return rows[0];
}

export async function keepJobs(db: Db, ids: readonly number[], silenceMs: number): Promise<void> {
  await sql`update answer_job set taken_until = now() + ${silenceMs} * interval '1 millisecond'
    where id = any(${ids})`.execute(db);
}

export async function deleteJob(db: Db, id: number): Promise<void> {
  await sql`delete from answer_job where id = ${id}`.execute(db);
}

export async function giveJobBack(
  db: Db,
  { id, accountId, chatId, waited, tries }: TakenJob,
  delayMs: number,
) {
  await db.transaction().execute(async (tx) => {
    await deleteJob(tx, id);
    await sql`insert into answer_job (account_id, chat_id, due_at, waited, tries)
      select a.id, ${chatId}, now() + ${delayMs} * interval '1 millisecond', ${waited}, ${tries}
      from ${accountRow(accountId)} a
      on conflict (chat_id) where taken_until is null do nothing`.execute(tx);
  });
}
