import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { ownerOf } from "../db/owner.ts";
import { deleteSession, deleteSessionsOf } from "./repo.ts";
import { watchSessionEnds } from "./session-ends.ts";

const { db, database } = await testDatabase();

async function newSession(accountId: string): Promise<string> {
  const made = await sql<{ id: string }>`
    insert into session (account_id, token, expires_at)
    values (${accountId}, gen_random_uuid()::text, now() + interval '1 day') returning id`.execute(db);
  return made.rows[0]?.id ?? "";
}

async function newAccount(): Promise<string> {
  const made = await sql<{ id: string }>`
    insert into account (name, email, terms_version, terms_accepted_at)
    values ('Ana', gen_random_uuid() || '@exemplo.com', 'v1', now()) returning id`.execute(db);
  return made.rows[0]?.id ?? "";
}

test("streams end with their session, in every process, and no others do", async () => {
  const [here, there] = await Promise.all([watchSessionEnds(database), watchSessionEnds(database)]);
  const account = await newAccount();
  const [first, second, third] = [
    await newSession(account),
    await newSession(account),
    await newSession(account),
  ];
  const ended: string[] = [];
  here.watch(first, () => ended.push("first, here"));
  there.watch(first, () => ended.push("first, there"));
  here.watch(second, () => ended.push("second"));
  const stop = here.watch(third, () => ended.push("third, left before"));
  stop();

  await deleteSession(db, first);
  await vi.waitFor(() => expect(ended.toSorted()).toEqual(["first, here", "first, there"]), 60_000);
  expect(await deleteSessionsOf(ownerOf(db, account))).toBe(2);
  await vi.waitFor(() => expect(ended).toContain("second"), 60_000);
  expect(ended).toHaveLength(3);
  await Promise.all([here.close(), there.close()]);
});

test("a logout while the listening connection was away ends the streams when it is back", async () => {
  const ends = await watchSessionEnds(database);
  const account = await newAccount();
  const [gone, staying] = [await newSession(account), await newSession(account)];
  const ended: string[] = [];
  ends.watch(gone, () => ended.push("gone"));
  ends.watch(staying, () => ended.push("staying"));
  await sql`delete from session where id = ${gone}`.execute(db);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'recado-listen' and datname = current_database()`.execute(db);
  await vi.waitFor(() => expect(ended).toEqual(["gone"]), { timeout: 60_000 });
  await ends.close();
});
