import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { sql } from "kysely";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readBackupFile } from "../../src/server/backup/file.ts";
import { loadCopy, openCopy } from "../../src/server/backup/load.ts";
import { checkSecretKey, createSecrets, readSecretKey } from "../../src/server/db/secrets.ts";
import { openDataFolder } from "../../src/server/postgres/data-folder.ts";
import { loadMessageKey } from "../../src/server/sending/ledger/message-key.ts";
import { allRows, runProgram, temporaryFolder } from "../support/backup.ts";
import { accountRow } from "../support/campaign-rows.ts";
import { type TestDatabase, testDatabase, testLog } from "../support/database.ts";
import { fillAccount, SECRET } from "../support/full-account.ts";
import { memoryStore } from "../support/memory-store.ts";
import { unhurried } from "../support/waiting.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const source = await testDatabase();
const untouched = await testDatabase({ empty: true });
const folder = temporaryFolder();
const data = path.join(folder, "original");
const PASSPHRASE = "três girassóis no quintal";
const from = { DATABASE_URL: source.url, RECADO_DATA: data };
const open = path.join(folder, "aberta.recado");
const sealed = path.join(folder, "com-senha.recado");

beforeAll(async () => {
  const { db } = source;
  fs.mkdirSync(data);
  await checkSecretKey(db, createSecrets(readSecretKey(undefined, data)));
  await loadMessageKey(db);
  for (const zone of ["America/Sao_Paulo", "America/Manaus"])
    await fillAccount(db, await accountRow(db, zone));
  // Difficult for a text format: a large picture, line ends, the null sign, extreme numbers.
  const awkward = ["\\N", "\\.", "a\tb\r\nc\\d", "👍🏽 ação", " "].join("|");
  await sql`update person set name = ${awkward} where id in (select person_id from membership where seq = 0)`.execute(
    db,
  );
  await sql`update attachment set bytes = ${randomBytes(400_000)}`.execute(db);
  await sql`update wa_address set checked_at = 'infinity'`.execute(db);
  await sql`insert into contact_import (account_id, list_name, state, spool, spool_folder, worker, lease_until, imported)
    select id, 'Pela metade', 'running', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now() + interval '30 seconds', 300
    from account`.execute(db);
  await sql`create table alheia (id int)`.execute(db);

  const plain = await runProgram("backup", [open], from);
  expect(plain).toMatchObject({ code: 0 });
  expect(plain.errors).toMatch(/Atenção: esta cópia não tem senha/);
  expect(plain.errors).toMatch(/Fora da cópia, por não serem do Recado: alheia/);
  const withPassphrase = await runProgram("backup", [sealed], {
    ...from,
    RECADO_BACKUP_PASSPHRASE: PASSPHRASE,
  });
  expect(withPassphrase).toMatchObject({ code: 0, output: expect.stringMatching(/Cópia feita/) });
  expect(withPassphrase.errors).not.toMatch(/Atenção/);
  await sql`drop table alheia`.execute(db);
});

test("F46 a backup restored into an empty database equals the original row by row, and sequences continue", async () => {
  const before = await allRows(source.db);
  expect([...before.values()].filter((rows) => rows.length > 0).length).toBeGreaterThan(40);
  for (const [file, passphrase] of [
    [open, undefined],
    [sealed, PASSPHRASE],
  ] as const) {
    const target = await testDatabase({ empty: true });
    await load(target, file, passphrase);
    expect(await allRows(target.db)).toEqual(before);
    const { rows } = await sql<{ fresh: boolean }>`
      with made as (insert into contact_list (account_id, name) select id, 'Nova' from account limit 1 returning id)
      select made.id > (select max(id) from contact_list) as fresh from made`.execute(target.db);
    expect(rows).toEqual([{ fresh: true }]);
  }
});

async function load({ database }: Pick<TestDatabase, "database">, file: string, passphrase?: string) {
  const copy = await openCopy(readBackupFile(file, passphrase));
  await loadCopy(database, copy, {
    log: testLog,
    where: "",
    finish: async () => undefined,
    files: memoryStore(),
  });
}

test("an encrypted backup reveals nothing; a plain one holds the key and only its owner can read it", () => {
  const key = fs.readFileSync(path.join(data, "secret.key"), "utf8").trim();
  const shown = gunzipSync(fs.readFileSync(open).subarray(16));
  expect([SECRET, key, "Clientes"].map((text) => shown.includes(text))).toEqual([true, true, true]);
  const hidden = fs.readFileSync(sealed);
  expect([SECRET, key, "Clientes"].map((text) => hidden.includes(text))).toEqual([false, false, false]);
  expect(hidden.includes(Buffer.of(0x1f, 0x8b, 0x08, 0x00))).toBe(false);
  for (const file of [open, sealed]) expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test("what would be sent by itself is at rest in a restored copy; everything else is as it was", async () => {
  const target = await testDatabase({ empty: true });
  const place = path.join(folder, "copia");
  const restored = await runProgram("restore", [sealed], {
    DATABASE_URL: target.url,
    RECADO_DATA: place,
    RECADO_BACKUP_PASSPHRASE: PASSPHRASE,
  });
  expect(restored).toMatchObject({ code: 0, errors: "" });
  expect(restored.output).toMatch(/conferidas/);
  expect(restored.output).toMatch(/Desligue a instalação original/);
  expect(fs.readFileSync(path.join(place, "secret.key"), "utf8")).toBe(
    fs.readFileSync(path.join(data, "secret.key"), "utf8"),
  );
  const [before, after] = [await allRows(source.db), await allRows(target.db)];
  const changed = [...before].filter(([name, rows]) => rows.join("\n") !== after.get(name)?.join("\n"));
  expect(changed.map(([name]) => name)).toEqual([
    "agent_answer",
    "campaign",
    "connection",
    "contact_import",
    "import_draft",
    "mail",
    "setting",
    "webhook_relay",
  ]);
  const half = sql`select distinct state, fault, imported from contact_import where list_name = 'Pela metade'`;
  expect((await half.execute(target.db)).rows).toEqual([
    { state: "failed", fault: "import_interrupted", imported: 0 },
  ]);
  const campaigns =
    await sql`select distinct status, pause_reason as cause, pending_count from campaign`.execute(target.db);
  expect(campaigns.rows).toEqual([{ status: "paused", cause: "restored", pending_count: 3 }]);
});

test("rows that are in keep their key, whatever fails afterwards: statistics that could not be gathered are only slow", async () => {
  const target = await testDatabase({ empty: true });
  let sessions = 0;
  const database: TestDatabase["database"] = {
    ...target.database,
    session: (work) =>
      ++sessions === 1 ? target.database.session(work) : Promise.reject(new Error("Connection terminated")),
  };
  // An error must remove the key again.
  await load({ database }, open);
  expect(await allRows(target.db)).toEqual(await allRows(source.db));
});

describe("an incomplete or unsuitable backup file changes nothing and is reported with its reason", () => {
  const cut = (file: string, keep: (size: number) => number) =>
    altered(file, (bytes) => bytes.subarray(0, keep(bytes.length)));
  const flip = (file: string, at: (size: number) => number) =>
    altered(file, (bytes) => {
      const place = at(bytes.length);
      bytes[place] = (bytes[place] ?? 0) ^ 0x10;
      return bytes;
    });
  const withoutAByte = (file: string) =>
    altered(file, (bytes) => {
      const [head, rows] = [bytes.subarray(0, MAGIC), gunzipSync(bytes.subarray(MAGIC))];
      const picture = rows.toString("latin1").search(/[0-9a-f]{100000}/);
      rows.write("x", picture + 50_000, "latin1");
      return Buffer.concat([head, gzipSync(rows)]);
    });
  const MAGIC = 16;
  let made = 0;
  function altered(file: string, change: (bytes: Buffer) => Buffer): string {
    const other = path.join(folder, `alterada-${++made}.recado`);
    fs.writeFileSync(other, change(fs.readFileSync(file)));
    return other;
  }

  const DAMAGED = /está danificado ou incompleto.*Nada foi restaurado/;
  const cases: [string, () => string, string | undefined, RegExp][] = [
    ["another passphrase", () => sealed, "outra senha qualquer", /A senha não abre esta cópia/],
    ["no passphrase", () => sealed, undefined, /Esta cópia tem senha/],
    ["sealed, a byte short", () => cut(sealed, (size) => size - 1), PASSPHRASE, DAMAGED],
    ["sealed, cut where a part ends", () => cut(sealed, () => 51 + 65_552), PASSPHRASE, DAMAGED],
    ["sealed, the header alone", () => cut(sealed, () => 51), PASSPHRASE, DAMAGED],
    ["sealed, a byte of the middle", () => flip(sealed, (size) => size >> 1), PASSPHRASE, DAMAGED],
    ["sealed, a byte of the end", () => flip(sealed, (size) => size - 1), PASSPHRASE, DAMAGED],
    ["sealed, its salt", () => flip(sealed, () => 25), PASSPHRASE, /A senha não abre esta cópia/],
    ["open, cut in half", () => cut(open, (size) => size >> 1), undefined, DAMAGED],
    ["open, a byte short", () => cut(open, (size) => size - 1), undefined, DAMAGED],
    ["open, a byte of the middle", () => flip(open, (size) => size >> 1), undefined, DAMAGED],
    [
      "open, a row that the database refuses before its sum is met",
      () => withoutAByte(open),
      undefined,
      DAMAGED,
    ],
    ["something else", () => path.join(data, "secret.key"), undefined, /não é uma cópia do Recado/],
    [
      "nothing",
      () => path.join(folder, "nenhuma.recado"),
      undefined,
      /não pode ser lido: esse lugar não existe/,
    ],
    ["a folder", () => folder, undefined, /não pode ser lido: é uma pasta, não um arquivo/],
  ];
  test.each(cases)("%s", async (_, file, passphrase, words) => {
    await expect(load(untouched, file(), passphrase)).rejects.toThrow(words);
    expect([...(await allRows(untouched.db)).keys()]).toEqual([]);
  });

  test("as a command: another code than 0, the words alone on the error stream, no key left behind", async () => {
    const place = path.join(folder, "vazia");
    const refused = await runProgram("restore", [cut(sealed, (size) => size - 1)], {
      DATABASE_URL: untouched.url,
      RECADO_DATA: place,
      RECADO_BACKUP_PASSPHRASE: PASSPHRASE,
    });
    expect(refused).toEqual({ code: 1, output: "", errors: expect.stringMatching(DAMAGED) });
    expect([...(await allRows(untouched.db)).keys()]).toEqual([]);
    expect(fs.existsSync(path.join(place, "secret.key"))).toBe(false);
  });

  test("a database that is in use", async () => {
    const target = await testDatabase();
    await accountRow(target.db);
    const before = await allRows(target.db);
    const refused = await runProgram("restore", [open], {
      DATABASE_URL: target.url,
      RECADO_DATA: path.join(folder, "em-uso"),
    });
    expect(refused).toEqual({
      code: 1,
      output: "",
      errors: expect.stringMatching(/não está vazia.*nada foi alterado/),
    });
    expect(await allRows(target.db)).toEqual(before);
  });

  test("a database whose disk is full", async () => {
    const full = await testDatabase({ empty: true });
    await sql`create schema foreign_one`.execute(full.db);
    await sql`create function foreign_one.full() returns event_trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`.execute(full.db);
    await sql`create event trigger full_disk on ddl_command_start execute function foreign_one.full()`.execute(
      full.db,
    );
    const refused = await runProgram("restore", [open], {
      DATABASE_URL: full.url,
      RECADO_DATA: path.join(folder, "cheia"),
    });
    expect(refused).toEqual({
      code: 1,
      output: "",
      errors: "Não há espaço no disco do banco de dados.\n",
    });
    await sql`drop event trigger full_disk`.execute(full.db);
  });

  test("F36 a newer version's", async () => {
    const newer = await testDatabase();
    await sql`insert into schema_migration (name, sha256) values ('9999_next.sql', 'x')`.execute(newer.db);
    const file = path.join(folder, "nova.recado");
    expect((await runProgram("backup", [file], { ...from, DATABASE_URL: newer.url })).code).toBe(0);
    await expect(load(untouched, file)).rejects.toThrow(/outra versão do Recado.*9999_next\.sql/);
    expect([...(await allRows(untouched.db)).keys()]).toEqual([]);
  });

  test("an operator's key that does not open it", async () => {
    const refused = await runProgram("restore", [open], {
      DATABASE_URL: untouched.url,
      RECADO_DATA: path.join(folder, "outra-chave"),
      RECADO_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    });
    expect(refused).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/A chave secreta não é a deste banco/),
    });
    expect([...(await allRows(untouched.db)).keys()]).toEqual([]);
  });
});

describe("a failed backup reports its reason and leaves no partial file", () => {
  test.each([
    ["over another file", () => ({ file: open, env: from }), /já existe e não será substituído/],
    [
      "a short passphrase",
      () => ({ file: "x", env: { ...from, RECADO_BACKUP_PASSPHRASE: "curta" } }),
      /ao menos 12/,
    ],
    [
      "a folder that is not there",
      () => ({ file: path.join(folder, "nao", "x"), env: from }),
      /Não é possível gravar .*: esse lugar não existe/,
    ],
    ["over a folder", () => ({ file: ".", env: from }), /é uma pasta: diga o nome do arquivo/],
    [
      "under too long a name",
      () => ({ file: "x".repeat(250), env: from }),
      /Não é possível gravar .*: o nome é longo demais/,
    ],
    [
      "of no installation",
      () => ({ file: "x", env: { RECADO_DATA: path.join(folder, "nada") } }),
      /não existe/,
    ],
    [
      "without its key",
      () => ({ file: "x", env: { ...from, RECADO_DATA: folder } }),
      /A chave secreta não está em/,
    ],
    [
      "with a key that opens nothing of it",
      () => ({
        file: "x",
        env: { ...from, RECADO_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") },
      }),
      /A chave secreta não é a deste banco/,
    ],
  ] as const)("%s", async (_, make, words) => {
    const { file, env } = make();
    const refused = await runProgram("backup", [path.resolve(folder, file)], env);
    expect(refused).toEqual({ code: 1, output: "", errors: expect.stringMatching(words) });
    expect(fs.readdirSync(folder).filter((name) => name.endsWith(".parcial") || name === "x")).toEqual([]);
  });

  test("beside a server whose database is not up yet", async () => {
    const starting = path.join(folder, "iniciando");
    fs.mkdirSync(starting);
    fs.chmodSync(starting, 0o755);
    readSecretKey(undefined, starting);
    const { release } = await openDataFolder(starting);
    const refused = await runProgram("backup", [path.join(folder, "x")], { RECADO_DATA: starting });
    expect(refused).toEqual({
      code: 1,
      output: "",
      errors: expect.stringMatching(/^O banco de dados não respondeu: .*tente de novo em instantes\.\n$/),
    });
    await release();
  });

  test("of an empty database", async () => {
    const empty = await testDatabase({ empty: true });
    const refused = await runProgram("backup", [path.join(folder, "x")], {
      ...from,
      DATABASE_URL: empty.url,
    });
    expect(refused).toMatchObject({ code: 1, errors: expect.stringMatching(/Não há o que copiar/) });
    expect(fs.readdirSync(folder).filter((name) => name.endsWith(".parcial") || name === "x")).toEqual([]);
  });

  test("stopped in the middle", async () => {
    const file = path.join(folder, "parada.recado");
    const drafts = () => fs.readdirSync(folder).filter((name) => name.startsWith("parada.recado"));
    const waitingForTable = async () =>
      (
        await sql`select from pg_locks join pg_database d on d.oid = database where d.datname = current_database()
          and relation = 'membership'::regclass and not granted`.execute(source.db)
      ).rows.length > 0;
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const locked = unhurried(source.db, async (tx) => {
      await sql`lock table membership in access exclusive mode`.execute(tx);
      held.resolve();
      await release.promise;
    });
    onTestFinished(async () => {
      release.resolve();
      await locked.catch(() => undefined);
    });
    await held.promise;
    const stop = new AbortController();
    const made = runProgram("backup", [file], from, stop.signal);
    // A draft alone is no proof: one is made and removed to see that the folder can be written.
    await expect.poll(waitingForTable, { timeout: 20_000 }).toBe(true);
    expect(drafts()).toHaveLength(1);
    stop.abort();
    expect(await made).toMatchObject({ code: 1, errors: expect.stringMatching(/Interrompido/) });
    expect(drafts()).toEqual([]);
  });
});
