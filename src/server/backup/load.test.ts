import { randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { allRows } from "../../../tests/support/backup.ts";
import { accountRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { type TestDatabase, testDatabase, testLog } from "../../../tests/support/database.ts";
import { memoryStore } from "../../../tests/support/memory-store.ts";
import { applyMigrations, readMigrations } from "../db/migrate.ts";
import { type Frame, frame, readFrames } from "./frames.ts";
import { loadCopy, openCopy } from "./load.ts";
import { writeBackup } from "./write.ts";

const source = await testDatabase();
const untouched = await testDatabase({ empty: true });
let frames: Frame[] = [];

const kept = memoryStore();
const ABOUT = { product: "test", secretKey: Buffer.alloc(32, 7).toString("base64"), files: kept };

async function copyOf(
  { database }: TestDatabase,
  onChunk: (at: number) => Promise<unknown>,
): Promise<Frame[]> {
  let read: Frame[] = [];
  await writeBackup(database, ABOUT, async (content) => {
    async function* noticed() {
      let at = 0;
      for await (const bytes of content) {
        await onChunk(at++);
        yield bytes;
      }
    }
    read = await Array.fromAsync(readFrames(noticed()), ({ kind, body }) => ({
      kind,
      body: Buffer.from(body),
    }));
  });
  return read;
}

async function load({ database }: TestDatabase, parts: readonly Frame[]) {
  const files = memoryStore();
  async function* content() {
    for (const { kind, body } of parts) yield frame(kind, body);
  }
  await loadCopy(database, await openCopy(content()), {
    log: testLog,
    where: "",
    finish: async () => undefined,
    files,
  }).catch((error: unknown) => {
    expect([...files.held]).toEqual([]);
    throw error;
  });
  return files.held;
}

const KEY = randomUUID();
const LOST = randomUUID();
/** More than one frame. */
const BYTES = randomBytes(200_000);

beforeAll(async () => {
  const account = await accountRow(source.db);
  await listRow(source.db, account, 3, "Clientes");
  await kept.put(KEY, BYTES);
  for (const [name, key] of [
    ["boleto.pdf", KEY],
    ["perdido.pdf", LOST],
  ])
    await sql`insert into attachment (account_id, sha256, kind, name, mime, size, stored_as)
      values (${account}::uuid, '', 'document', ${name}, 'application/pdf', ${BYTES.length}, ${key})`.execute(
      source.db,
    );
  frames = await copyOf(source, async () => undefined);
});

const tableAt = (parts: readonly Frame[], name: string) =>
  parts.findIndex(
    ({ kind, body }) => kind === "T" && (JSON.parse(String(body)) as { name: string }).name === name,
  );
const endAfter = (parts: readonly Frame[], at: number) =>
  at + parts.slice(at).findIndex(({ kind }) => kind === "E");
const changed = (at: number, change: (text: string) => string): Frame[] =>
  frames.map((one, place) => (place === at ? { ...one, body: Buffer.from(change(String(one.body))) } : one));

test.each<[string, () => Frame[]]>([
  [
    "a row whose text was changed",
    () => changed(tableAt(frames, "contact_list") + 1, (text) => text.replace("Clientes", "Clientas")),
  ],
  [
    "where the numbering stands",
    () =>
      changed(frames.length - 2, (text) =>
        text.replace(/"value":"(\d+)"/, (_, at: string) => `"value":"${at}1"`),
      ),
  ],
  [
    "a part that belongs to nothing, behind the end",
    () => [...frames, { kind: "Z", body: Buffer.from("{}") }],
  ],
  ["no end", () => frames.slice(0, -1)],
  [
    "a table too few",
    () =>
      frames.toSpliced(
        tableAt(frames, "membership"),
        endAfter(frames, tableAt(frames, "membership")) + 1 - tableAt(frames, "membership"),
      ),
  ],
  [
    "a table that comes twice",
    () => {
      const at = tableAt(frames, "contact_list");
      const end = endAfter(frames, at);
      return frames.toSpliced(end + 1, 0, ...frames.slice(at, end + 1));
    },
  ],
  [
    "an attachment whose bytes were changed",
    () => {
      const at = frames.findIndex(({ kind }) => kind === "B");
      return frames.map((one, place) =>
        place === at ? { ...one, body: randomBytes(one.body.length) } : one,
      );
    },
  ],
  [
    "half of an attachment",
    () =>
      frames.toSpliced(
        frames.findIndex(({ kind }) => kind === "B"),
        1,
      ),
  ],
  [
    "rows of a table in another's place",
    () => changed(tableAt(frames, "contact_list"), (text) => text.replace("contact_list", "account")),
  ],
])("%s: nothing is restored", async (_, parts) => {
  await expect(load(untouched, parts())).rejects.toThrow(
    /está danificado ou incompleto.*Nada foi restaurado/,
  );
  expect([...(await allRows(untouched.db)).keys()]).toEqual([]);
});

test("attachments outside the database are in the copy, byte by byte; a lost one is missing, and said", async () => {
  const target = await testDatabase({ empty: true });
  const files = await load(target, frames);
  expect([...files.keys()]).toEqual([KEY]);
  expect(files.get(KEY)?.equals(BYTES)).toBe(true);
  const written = await writeBackup(source.database, ABOUT, async (content) => {
    for await (const _ of content);
  });
  expect(written.missing).toBe(1);
});

test("a backup of the schema before the standard names restores under them, row by row", async () => {
  const old = await testDatabase({ empty: true });
  const known = readMigrations().filter(({ name }) => name < "0090");
  const first = known.filter(({ name }) => name <= "0004_campaigns.sql");
  await old.db.transaction().execute((tx) => applyMigrations(tx, first));
  await old.database.query(fs.readFileSync("tests/platform/rows-0004.sql", "utf8"));
  const rest = known.slice(first.length);
  await old.db.transaction().execute((tx) => applyMigrations(tx, rest));
  const account = (await sql<{ id: string }>`select id from account limit 1`.execute(old.db)).rows[0]?.id;
  await sql`insert into deed (account_id, key, hash, made) values (${account}, ''::bytea, ''::bytea, '7')`.execute(
    old.db,
  );
  const was =
    await sql`select life as status, cause as pause_reason, n_pending as pending_count, extra_s as jitter_seconds
    from campaign order by id`.execute(old.db);

  const target = await testDatabase({ empty: true });
  await load(target, await copyOf(old, async () => undefined));
  const now =
    await sql`select status, pause_reason, pending_count, jitter_seconds from campaign order by id`.execute(
      target.db,
    );
  expect(now.rows).toEqual(was.rows);
  expect((await sql`select made from idempotency_key`.execute(target.db)).rows).toEqual([{ made: "7" }]);
  const contacts = await sql`select list_id, seq, phone, name from contact order by 1, 2`.execute(old.db);
  expect(contacts.rows).toHaveLength(7);
  const places = await sql`select m.list_id, m.seq, p.phone, p.name
    from membership m join person p on p.id = m.person_id order by 1, 2`.execute(target.db);
  expect(places.rows).toEqual(contacts.rows);
});

test("what is written while the copy is made is in it nowhere: it is of one moment", async () => {
  const before = await allRows(source.db);
  const parts = await copyOf(source, async (at) => {
    if (at === 0) await listRow(source.db, await accountRow(source.db), 2, "Depois");
  });
  const target = await testDatabase({ empty: true });
  await load(target, parts);
  const names = sql<{ name: string }>`select name from contact_list order by name`;
  expect((await names.execute(target.db)).rows).toEqual([{ name: "Clientes" }]);
  expect((await names.execute(source.db)).rows).toHaveLength(2);
  expect(await allRows(target.db)).toEqual(before);
});

test("a copy aborted inside a large table (Ctrl-C, full disk) reports its error soon", async () => {
  const large = await testDatabase();
  await sql`insert into setting (key, value)
    select 'large-' || n, to_jsonb(repeat(md5(n::text), 30000)) from generate_series(1, 30) n`.execute(
    large.db,
  );
  const full = writeBackup(large.database, ABOUT, async (content) => {
    for await (const chunk of content) if (chunk.length > 100_000) throw new Error("the disk is full");
  });
  await expect(full).rejects.toThrow("the disk is full");
}, 30_000);
