import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import type { AttachmentSummary } from "../../contract/files.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import { AppError } from "../../domain/errors.ts";
import { requireRoom } from "../db/account-limits.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { OutgoingFile } from "../transports/transport.ts";
import { type ByteStore, isLost, openBytes } from "./byte-store.ts";
import { STORED_BYTES } from "./counts.ts";
import type { Judged } from "./judge.ts";

/** The bytes first: a row never names a file that is not there. */
export async function storeAttachment(
  owner: Owner,
  store: ByteStore,
  judged: Judged,
): Promise<AttachmentSummary> {
  const { content, reduced: _, ...facts } = judged;
  const sha256 = await hashOf(content);
  const key = randomUUID();
  await store.put(key, content);
  const keep = (inside: Owner) => insertWithRoom(inside, { ...judged, sha256, key });
  try {
    const { id, key: kept } = owner.db.isTransaction
      ? await keep(owner)
      : await owner.db.transaction().execute((tx) => keep(owner.in(tx)));
    if (kept !== key && !(await replaceLost(owner, store, { id, kept, key }))) await store.remove(key);
    return { id, ...facts };
  } catch (error) {
    // After another error the commit may have succeeded; the sweep knows.
    if (error instanceof AppError) await store.remove(key);
    throw error;
  }
}

async function replaceLost(
  { db, accountId }: Owner,
  store: ByteStore,
  { id, kept, key }: { id: number; kept: string | null; key: string },
): Promise<boolean> {
  if (kept === null || !(await isLost(store, { key: kept, bytes: null }))) return false;
  const { numAffectedRows } = await sql`update attachment set stored_as = ${key}
    where id = ${id} and account_id = ${accountId} and stored_as = ${kept}`.execute(db);
  return numAffectedRows === 1n;
}

async function hashOf(content: string | Uint8Array): Promise<Buffer> {
  const hash = createHash("sha256");
  if (typeof content === "string") await pipeline(fs.createReadStream(content), hash);
  else hash.update(content);
  return hash.digest();
}

type NewRow = Judged & { sha256: Buffer; key: string };

async function insertWithRoom(inside: Owner, row: NewRow): Promise<{ id: number; key: string | null }> {
  const { db, accountId } = inside;
  const { sha256, kind, name } = row;
  const { rows: before } = await sql`select from attachment
    where account_id = ${accountId} and sha256 = ${sha256} and kind = ${kind} and name = ${name}`.execute(db);
  if (before.length === 0) await requireRoom(inside, STORED_BYTES, row.bytes);
  // An existing one counts as new, or it could be deleted before its use.
  const { rows } = await sql<{ id: number; key: string | null }>`
    insert into attachment (account_id, sha256, kind, name, mime, size, width, height, seconds, stored_as)
    values (${accountId}, ${sha256}, ${kind}, ${name}, ${row.mime}, ${row.bytes}, ${row.width}, ${row.height},
      ${row.seconds}, ${row.key})
    on conflict (account_id, sha256, kind, name) do update set created_at = excluded.created_at
    returning id, stored_as as key`.execute(db);
  if (!rows[0]) throw new Error("an attachment was not stored");
  return rows[0];
}

/** Where the bytes are: under a key of the store, or still in the row. */
export type Place = { key: string | null; bytes: Buffer | null };

export type StoredFile = Place & { kind: AttachmentKind; mime: string; name: string; size: number };

const FACTS = sql.raw("kind, name, mime, size, width, height, seconds, stored_as as key, bytes");

type Row = StoredFile & Pick<OutgoingFile, "width" | "height" | "seconds">;

/** For sending: no owner, as the message names its own account's file. */
export async function findOutgoing(
  db: Db,
  id: number,
  store: ByteStore | null = null,
): Promise<OutgoingFile | undefined> {
  const { rows } = await sql<Row>`select ${FACTS} from attachment where id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { key, bytes, ...facts } = row;
  return { ...facts, open: () => openBytes(store, { key, bytes }) };
}

export async function findFile(owner: Owner, id: number): Promise<StoredFile | undefined> {
  const { rows } = await sql<Row>`
    select ${FACTS} from attachment where id = ${id} and account_id = ${owner.accountId}`.execute(owner.db);
  return rows[0];
}

export async function findKind(owner: Owner, id: number): Promise<AttachmentKind | null> {
  const { rows } = await sql<{ kind: AttachmentKind }>`
    select kind from attachment where id = ${id} and account_id = ${owner.accountId}`.execute(owner.db);
  return rows[0]?.kind ?? null;
}

export async function findNext(owner: Owner, after: number): Promise<(Place & { id: number }) | undefined> {
  const { rows } = await sql<Place & { id: number }>`select id, stored_as as key, bytes from attachment
    where account_id = ${owner.accountId} and id > ${after} order by id limit 1`.execute(owner.db);
  return rows[0];
}

const UNUSED_DAYS = 7;
const AT_ONCE = 500;

const UNNAMED = sql.join(
  ["campaign", "campaign_part", "chat_message", "message_template", "outbox"].map(
    (table) => sql`not exists (select from ${sql.table(table)} one where one.attachment_id = attachment.id)`,
  ),
  sql` and `,
);

export async function removeUnused(
  db: Db,
  store: ByteStore,
  ids: readonly number[],
  before: Date,
): Promise<void> {
  const { rows } = await sql<{ key: string | null }>`delete from attachment
    where id = any(${[...ids]}::bigint[]) and created_at < ${before} and ${UNNAMED} returning stored_as as key`.execute(
    db,
  );
  for (const { key } of rows) if (key !== null) await store.remove(key);
}

/** Files of closed forms or deleted drafts. Sent and received ones stay. */
export async function deleteUnused(db: Db, store: ByteStore): Promise<void> {
  let removed: { key: string | null }[];
  do {
    // A concurrent reuse holds the row lock and keeps it.
    ({ rows: removed } = await sql<{ key: string | null }>`with unused as materialized (
        select id from attachment
        where created_at < now() - ${UNUSED_DAYS} * interval '1 day' and ${UNNAMED}
        limit ${AT_ONCE} for update skip locked)
      delete from attachment using unused where attachment.id = unused.id returning stored_as as key`.execute(
      db,
    ));
    for (const { key } of removed) if (key !== null) await store.remove(key);
  } while (removed.length === AT_ONCE);
}

const ORPHAN_MS = 24 * 60 * 60_000;

/** Bytes whose row is gone with its account, or was never committed. A young key's row may still come. */
export async function sweepOrphans(db: Db, store: ByteStore, now: Date): Promise<void> {
  let old: string[] = [];
  const sweep = async () => {
    const { rows } = await sql<{ key: string }>`select key from unnest(${old}::uuid[]) as key
      where not exists (select from attachment where stored_as = key)`.execute(db);
    for (const { key } of rows) await store.remove(key);
    old = [];
  };
  for await (const { key, at } of store.keys()) {
    if (now.getTime() - at.getTime() < ORPHAN_MS) continue;
    old.push(key);
    if (old.length === AT_ONCE) await sweep();
  }
  if (old.length > 0) await sweep();
}

/** Moves bytes of an older version or backup into the store. False: nothing was left. */
export async function moveNext(db: Db, store: ByteStore): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: number; bytes: Buffer }>`
      select id, bytes from attachment where bytes is not null limit 1 for update skip locked`.execute(tx);
    const [row] = rows;
    if (!row) return false;
    const key = randomUUID();
    await store.put(key, row.bytes);
    await sql`update attachment set stored_as = ${key}, bytes = null where id = ${row.id}`.execute(tx);
    return true;
  });
}
