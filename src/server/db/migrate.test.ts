import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, expect, inject, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { dropDatabase, inDatabase, onServer } from "../../../tests/support/server-databases.ts";
import { type Db, openDatabase } from "./client.ts";
import { lockMigrations, migrate, readMigrations } from "./migrate.ts";

const { db, database, url } = await testDatabase({ empty: true });
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "recado-migrations-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

function folderWith(files: Record<string, string>): string {
  const folder = fs.mkdtempSync(path.join(scratch, "f-"));
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  return folder;
}

async function inFreshSchema(name: string, searchPath = name) {
  await sql.raw(`create schema ${name}`).execute(db);
  const separator = url.includes("?") ? "&" : "?";
  return openDatabase(`${url}${separator}options=-c%20search_path%3D${searchPath}`, { log: testLog });
}

test("four processes on an empty database: each migration is applied once, all end up ready", async () => {
  const others = [1, 2, 3].map(() => openDatabase(url, { log: testLog, max: 2 }));
  const applied = await Promise.all([database, ...others].map((each) => migrate(each, testLog)));
  expect(applied.flat().sort()).toEqual(readMigrations().map(({ name }) => name));
  await Promise.all(others.map((each) => each.close()));
  expect(await migrate(database, testLog)).toEqual([]);
});

test("a server that ends in the middle, as on a full disk, is what is told, not that the lock could not be given back", async () => {
  const lost = database.session((session) =>
    lockMigrations(session.db, () =>
      sql`select pg_terminate_backend(pg_backend_pid())`.execute(session.db).then(() => undefined),
    ),
  );
  await expect(lost).rejects.toMatchObject({ code: "57P01" });
});

test("F38 a process that is frozen while it holds the lock of the migrations does not keep the others from starting for ever", async () => {
  const one = openDatabase(url, { log: testLog, max: 1 });
  const limits = (on: Db) =>
    sql<{ idle: string; inside: string }>`select current_setting('idle_session_timeout') as idle,
      current_setting('idle_in_transaction_session_timeout') as inside`
      .execute(on)
      .then(({ rows }) => rows[0]);
  const before = await limits(one.db);
  const held = await one.session((session) => lockMigrations(session.db, () => limits(session.db)));
  expect(held).toEqual({ idle: "5min", inside: "5min" });
  // The same connection, for whoever borrows it next.
  expect(await limits(one.db)).toEqual(before);
  await one.close();
});

test("F35 a migration that fails leaves nothing of itself and is tried again", async () => {
  const target = await inFreshSchema("f35");
  const files = {
    "0001_a.sql": "create table a (n int)",
    "0002_b.sql": "create table b (n int); select 1 / 0",
  };
  await expect(migrate(target, testLog, folderWith(files))).rejects.toThrow(/division by zero/);
  const fixed = folderWith({ ...files, "0002_b.sql": "create table b (n int)" });
  expect(await migrate(target, testLog, fixed)).toEqual(["0002_b.sql"]);
  await target.close();
});

test("F36 an older program refuses a newer database and writes nothing", async () => {
  const target = await inFreshSchema("f36");
  const newer = folderWith({
    "0001_a.sql": "create table a (n int)",
    "0002_b.sql": "create table b (n int)",
  });
  await migrate(target, testLog, newer);
  const older = folderWith({ "0001_a.sql": "create table a (n int)" });
  await expect(migrate(target, testLog, older)).rejects.toThrow(/versão mais nova do Recado \(0002_b\.sql\)/);
  await target.close();
});

test("an applied migration that was edited is refused; other line ends are not an edit", async () => {
  const target = await inFreshSchema("edited");
  await migrate(target, testLog, folderWith({ "0001_a.sql": "create table a (\n n int)" }));
  expect(await migrate(target, testLog, folderWith({ "0001_a.sql": "create table a (\r\n n int)" }))).toEqual(
    [],
  );
  const edited = migrate(target, testLog, folderWith({ "0001_a.sql": "create table a (n bigint)" }));
  await expect(edited).rejects.toThrow(/o arquivo mudou depois: 0001_a\.sql/);
  await target.close();
});

test("a server before version 15 is refused in words, and nothing is written to it", async () => {
  // No such server is at hand: one that says it is 14 is asked the same question.
  const target = await inFreshSchema("elder", "elder,pg_catalog");
  await sql`create function elder.current_setting(name text) returns text language sql as $$
    select case name when 'server_version_num' then '140011' when 'server_version' then '14.11' end $$`.execute(
    db,
  );
  await expect(migrate(target, testLog)).rejects.toThrow(
    "O Recado precisa do PostgreSQL 15 ou mais novo; este é 14.11.",
  );
  const { rows } = await sql`select relname from pg_class where relnamespace = 'elder'::regnamespace`.execute(
    db,
  );
  expect(rows).toEqual([]);
  await target.close();
});

test("a user who may make no tables in the database is told of, and what to do", async () => {
  const guest = `guest_${process.pid}`;
  await sql.raw(`create role ${guest}`).execute(db);
  const fresh = await testDatabase({ empty: true });
  const separator = url.includes("?") ? "&" : "?";
  const target = openDatabase(`${fresh.url}${separator}options=-c%20role%3D${guest}`, { log: testLog });
  await expect(migrate(target, testLog)).rejects.toThrow(
    new RegExp(
      `^O usuário ${guest} não pode criar .* recado_test_\\w+ \\(permission denied for schema public\\)\\..* alter database recado_test_\\w+ owner to ${guest};$`,
    ),
  );
  await target.close();
  await sql.raw(`drop role ${guest}`).execute(db);
});

test.each(["SQL_ASCII", "LATIN1"])(
  "a database in %s, which cuts letters or lacks them, is refused in words, and nothing is written to it",
  async (encoding) => {
    const server = inject("databaseServer");
    const name = `recado_test_${process.pid}_${encoding.toLowerCase()}`;
    await onServer(
      server,
      `create database ${name} template template0 encoding '${encoding}' locale_provider libc locale 'C'`,
    );
    const target = openDatabase(inDatabase(server, name), { log: testLog });
    await expect(migrate(target, testLog)).rejects.toThrow(
      new RegExp(`^O Recado precisa de um banco de dados em UTF8; este é ${encoding}\\.`),
    );
    const { rows } = await target.query("select from pg_class where relnamespace = 'public'::regnamespace");
    expect(rows).toEqual([]);
    await target.close();
    await dropDatabase(server, name);
  },
);
