import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Image } from "../../contract/files.ts";
import type { Owner } from "../db/owner.ts";
import type { CleanImage } from "./images.ts";

/** Stores a picture once per account: the same bytes again are the same image. */
export async function insertImage(owner: Owner, image: CleanImage): Promise<Image> {
  const { bytes, mime, width, height } = image;
  const sha256 = createHash("sha256").update(bytes).digest();
  // The update changes nothing; it makes `returning` answer also for a picture that was there.
  const { rows } = await sql<{ id: number }>`
    insert into image (account_id, sha256, mime, width, height, bytes)
    values (${owner.accountId}, ${sha256}, ${mime}, ${width}, ${height}, ${bytes})
    on conflict (account_id, sha256) do update set mime = excluded.mime returning id`.execute(owner.db);
  return { id: rows[0]?.id ?? 0, width, height, bytes: bytes.byteLength, mime };
}

export type StoredImage = { mime: string; bytes: Buffer };

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
