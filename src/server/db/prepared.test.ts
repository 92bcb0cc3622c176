import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { openDatabase } from "./client.ts";
import { sqlState } from "./errors.ts";
import { executePrepared } from "./prepared.ts";

const { db, url } = await testDatabase();

const nameOf = (id: string) => sql<{ name: string }>`select name from account where id = ${id}::uuid`;

const keptBy = (one: typeof db, words: string) =>
  sql<{
    n: number;
  }>`select count(*)::int as n from pg_prepared_statements where statement like ${`%${words}%`}`
    .execute(one)
    .then(({ rows }) => rows[0]?.n);

test("answers like any other statement, and is planned once for all values", async () => {
  const alone = openDatabase(url, { log: testLog, max: 1 });
  try {
    const ids = [await accountRow(db), await accountRow(db)];
    for (const id of [...ids, ...ids, ...ids]) {
      expect(await executePrepared(nameOf(id), alone.db)).toEqual((await nameOf(id).execute(db)).rows);
    }
    expect(await keptBy(alone.db, "select name from account where id")).toBe(1);
  } finally {
    await alone.close();
  }
});

test("inside a transaction it sees what the transaction wrote", async () => {
  const id = await accountRow(db);
  await db.transaction().execute(async (tx) => {
    await sql`update account set name = 'Bia' where id = ${id}::uuid`.execute(tx);
    expect(await executePrepared(nameOf(id), tx)).toEqual([{ name: "Bia" }]);
    expect(await executePrepared(nameOf(id), db)).toEqual([{ name: "Ana" }]);
  });
});

test("a library's reading is planned once as well, in its transactions too", async () => {
  const alone = openDatabase(url, { log: testLog, max: 1 });
  const companyOf = (id: string) =>
    sql<{ company: string }>`select company from account where id = ${id}::uuid`;
  try {
    const id = await accountRow(db);
    await alone.kept.transaction().execute(async (tx) => {
      await sql`update account set company = 'Padaria' where id = ${id}::uuid`.execute(tx);
      expect((await companyOf(id).execute(tx)).rows).toEqual([{ company: "Padaria" }]);
      expect((await companyOf(id).execute(db)).rows).toEqual([{ company: "" }]);
    });
    expect((await companyOf(id).execute(alone.kept)).rows).toEqual([{ company: "Padaria" }]);
    expect(await keptBy(alone.db, "select company from account where id")).toBe(1);
  } finally {
    await alone.close();
  }
});

test("a library that reads all columns goes on while a newer version adds some", async () => {
  const alone = openDatabase(url, { log: testLog, max: 1 });
  const all = () => sql`select * from of_library`.execute(alone.kept).then(({ rows }) => rows);
  try {
    await sql`create table of_library as select 1 as a`.execute(db);
    expect(await all()).toEqual([{ a: 1 }]);
    await sql`alter table of_library add b int default 2`.execute(db);
    for (let n = 0; n < 2; n++) expect(await all()).toEqual([{ a: 1, b: 2 }]);
  } finally {
    await alone.close();
  }
});

test("many different texts are answered, and only so many of them kept", async () => {
  const alone = openDatabase(url, { log: testLog, max: 1 });
  try {
    for (let n = 0; n < 300; n++) {
      expect(
        await executePrepared(sql<{ text: number }>`select ${sql.lit(n)}::int as text`, alone.db),
      ).toEqual([{ text: n }]);
    }
    const kept = await keptBy(alone.db, "::int as text");
    expect(kept).toBeGreaterThan(100);
    expect(kept).toBeLessThanOrEqual(200);
  } finally {
    await alone.close();
  }
});

test("a failed prepared statement is reported like any other", async () => {
  const codes: (string | null)[] = [];
  const heard = openDatabase(url, { log: testLog, max: 1, failed: (code) => codes.push(code) });
  try {
    await expect(executePrepared(sql`select 1 / ${0}::int`, heard.db)).rejects.toThrow("division by zero");
    expect(codes).toEqual(["22012"]);
    // A socket error code of the same length.
    expect(sqlState(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))).toBeNull();
    expect(await executePrepared(sql`select 1 as one`, heard.db)).toEqual([{ one: 1 }]);
  } finally {
    await heard.close();
  }
});
