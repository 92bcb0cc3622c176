import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, describe, expect, inject, test } from "vitest";
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

test("a server failing midway, as on a full disk, is reported, not the failed unlock", async () => {
  const lost = database.session((session) =>
    lockMigrations(session.db, () =>
      sql`select pg_terminate_backend(pg_backend_pid())`.execute(session.db).then(() => undefined),
    ),
  );
  await expect(lost).rejects.toMatchObject({ code: "57P01" });
});

test("F38 a process frozen with the migration lock does not block others for ever", async () => {
  const one = openDatabase(url, { log: testLog, max: 1 });
  const limits = (on: Db) =>
    sql<{ idle: string; inside: string }>`select current_setting('idle_session_timeout') as idle,
      current_setting('idle_in_transaction_session_timeout') as inside`
      .execute(on)
      .then(({ rows }) => rows[0]);
  const before = await limits(one.db);
  const held = await one.session((session) => lockMigrations(session.db, () => limits(session.db)));
  expect(held).toEqual({ idle: "5min", inside: "5min" });
  // The same pooled connection.
  expect(await limits(one.db)).toEqual(before);
  await one.close();
});

test("F35 a migration that fails leaves nothing of itself and is tried again", async () => {
  const target = await inFreshSchema("f35");
  const files = {
    "0001_a.sql": "create table a (n int)",
    "0002_b.sql": "create table b (n int); select 1 / 0",
  };
  await expect(migrate(target, testLog, { folder: folderWith(files) })).rejects.toThrow(/division by zero/);
  const fixed = folderWith({ ...files, "0002_b.sql": "create table b (n int)" });
  expect(await migrate(target, testLog, { folder: fixed })).toEqual(["0002_b.sql"]);
  await target.close();
});

test("F36 an older program refuses a newer database and writes nothing", async () => {
  const target = await inFreshSchema("f36");
  const newer = folderWith({
    "0001_a.sql": "create table a (n int)",
    "0002_b.sql": "create table b (n int)",
  });
  await migrate(target, testLog, { folder: newer });
  const older = folderWith({ "0001_a.sql": "create table a (n int)" });
  await expect(migrate(target, testLog, { folder: older })).rejects.toThrow(
    /versão mais nova do Recado \(0002_b\.sql\)/,
  );
  await target.close();
});

test("an applied migration that was edited is refused; other line ends are not an edit", async () => {
  const target = await inFreshSchema("edited");
  await migrate(target, testLog, { folder: folderWith({ "0001_a.sql": "create table a (\n n int)" }) });
  expect(
    await migrate(target, testLog, { folder: folderWith({ "0001_a.sql": "create table a (\r\n n int)" }) }),
  ).toEqual([]);
  const edited = migrate(target, testLog, {
    folder: folderWith({ "0001_a.sql": "create table a (n bigint)" }),
  });
  await expect(edited).rejects.toThrow(/o arquivo mudou depois: 0001_a\.sql/);
  await target.close();
});

test("a server before version 15 is refused in words, and nothing is written to it", async () => {
  // No real one at hand: simulates version 14.
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

test("a user without the right to create tables gets an error with the remedy", async () => {
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

describe("27.10 F11 processes of another version", () => {
  const first = { "0001_a.sql": "create table a (n int)" };
  const both = { ...first, "0002_b.sql": "create table b (n int)" };

  test("a migration is refused while one listens: it is named, and nothing is changed", async () => {
    const target = await inFreshSchema("living");
    await migrate(target, testLog, { folder: folderWith(first) });
    const old = openDatabase(url, { log: testLog, max: 1, identity: "0.9.1 4711 balcão-2" });
    const older = openDatabase(url, { log: testLog, max: 1 });
    const listeners = [await old.listen("any", () => undefined), await older.listen("any", () => undefined)];
    const update = () => migrate(target, testLog, { folder: folderWith(both), waitMs: 0 });
    await expect(update()).rejects.toThrow(
      /outra ainda roda nele: processo 4711 em balc.*-2, versão 0\.9\.1, desde .*; um processo de versão anterior.*Nada foi mudado/,
    );
    const { rows } = await sql`select to_regclass('living.b') as b`.execute(db);
    expect(rows).toEqual([{ b: null }]);
    expect(await migrate(target, testLog, { folder: folderWith(first), waitMs: 0 })).toEqual([]);
    await Promise.all([...listeners, old, older].map((one) => one.close()));
    await expect.poll(update, { timeout: 30_000 }).toEqual(["0002_b.sql"]);
    await target.close();
  });

  test("one that works and has a lease is waited for; one that died does not count once that is over", async () => {
    const target = await inFreshSchema("working");
    await migrate(target, testLog, { folder: folderWith(first) });
    await sql`create table working.worker (id int, started_at timestamptz default now(), lease_until timestamptz)`.execute(
      db,
    );
    await sql`insert into working.worker values (1, now(), now() + interval '6 seconds')`.execute(db);
    const folder = folderWith(both);
    await expect(migrate(target, testLog, { folder, waitMs: 0 })).rejects.toThrow(
      /um processo de versão anterior/,
    );
    await sql`update working.worker set lease_until = now() + interval '1 second'`.execute(db);
    expect(await migrate(target, testLog, { folder })).toEqual(["0002_b.sql"]);
    await target.close();
  });

  test("on a database of our own what a crash left is no process", async () => {
    const target = await inFreshSchema("alone");
    await migrate(target, testLog, { folder: folderWith(first) });
    await sql`create table alone.worker (id int, lease_until timestamptz)`.execute(db);
    await sql`insert into alone.worker values (1, now() + interval '6 seconds')`.execute(db);
    const folder = folderWith(both);
    expect(await migrate(target, testLog, { folder, waitMs: 0, alone: true })).toEqual(["0002_b.sql"]);
    await target.close();
  });
});
