import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Image } from "../../contract/files.ts";
import { requireRoom } from "../db/account-limits.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { STORED_BYTES } from "./counts.ts";
import type { CleanImage } from "./images.ts";

export async function insertImage(owner: Owner, image: CleanImage): Promise<Image> {
  const { bytes, mime, width, height } = image;
  const sha256 = createHash("sha256").update(bytes).digest();
  const keep = (inside: Owner) => storeWithRoom(inside, sha256, image);
  const id = owner.db.isTransaction
    ? await keep(owner)
    : await owner.db.transaction().execute((tx) => keep(owner.in(tx)));
  return { id, width, height, bytes: bytes.byteLength, mime };
}

async function storeWithRoom(inside: Owner, sha256: Buffer, image: CleanImage): Promise<number> {
  if (!(await isStored(inside, sha256))) await requireRoom(inside, STORED_BYTES, image.bytes.byteLength);
  return store(inside, sha256, image);
}

async function isStored({ db, accountId }: Owner, sha256: Buffer): Promise<boolean> {
  const { rows } =
    await sql`select from image where account_id = ${accountId} and sha256 = ${sha256}`.execute(db);
  return rows.length > 0;
}

async function store(inside: Owner, sha256: Buffer, image: CleanImage): Promise<number> {
  const { bytes, mime, width, height } = image;
  // An existing picture counts as new, or it could be deleted before its use.
  const { rows } = await sql<{ id: number }>`
    insert into image (account_id, sha256, mime, width, height, bytes)
    values (${inside.accountId}, ${sha256}, ${mime}, ${width}, ${height}, ${bytes})
    on conflict (account_id, sha256) do update set created_at = excluded.created_at returning id`.execute(
    inside.db,
  );
  return rows[0]?.id ?? 0;
}

export type StoredImage = { mime: string; bytes: Buffer };

type OutgoingImage = StoredImage & { width: number; height: number };

/** For sending: no owner, as the message names its own account's picture. */
export async function findOutgoing(db: Db, id: number): Promise<OutgoingImage | undefined> {
  const { rows } =
    await sql<OutgoingImage>`select bytes, mime, width, height from image where id = ${id}`.execute(db);
  return rows[0];
}

export async function findImage(owner: Owner, id: number): Promise<StoredImage | undefined> {
  const { rows } = await sql<StoredImage>`
    select mime, bytes from image where id = ${id} and account_id = ${owner.accountId}`.execute(owner.db);
  return rows[0];
}

export async function hasImage(owner: Owner, id: number): Promise<boolean> {
  const { rows } =
    await sql`select 1 from image where id = ${id} and account_id = ${owner.accountId}`.execute(owner.db);
  return rows.length > 0;
}

const UNUSED_DAYS = 7;
const AT_ONCE = 500;

/** Pictures of closed forms or deleted drafts. Sent and received ones stay. */
export async function deleteUnusedImages(db: Db): Promise<void> {
  const unnamed = ["campaign", "chat_message", "outbox"].map(
    (table) => sql`not exists (select from ${sql.table(table)} one where one.image_id = image.id)`,
  );
  let removed: bigint | undefined;
  do {
    // A concurrent reuse holds the row lock and keeps it.
    ({ numAffectedRows: removed } = await sql`with unused as materialized (
        select id from image
        where created_at < now() - ${UNUSED_DAYS} * interval '1 day' and ${sql.join(unnamed, sql` and `)}
        limit ${AT_ONCE} for update skip locked)
      delete from image using unused where image.id = unused.id`.execute(db));
  } while (removed === BigInt(AT_ONCE));
}
