import { type RawBuilder, sql } from "kysely";
import type { AttachmentSummary } from "../../contract/files.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import type { Db } from "../db/client.ts";
import { holdsWords } from "../db/search.ts";

/** SQL: its kind if it is of this account, or null. */
export const kindOf = (account: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  sql<AttachmentKind | null>`(select f.kind from attachment f where f.account_id = ${account} and f.id = ${id})`;

/** SQL: its name, empty but for documents; null if it is of another account. */
export const nameOf = (account: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  sql<string | null>`(select f.name from attachment f where f.account_id = ${account} and f.id = ${id})`;

/** SQL: what screens show of it (`AttachmentSummary`), or null. */
export const summaryOf = (account: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  sql<AttachmentSummary | null>`(select json_build_object('id', f.id, 'kind', f.kind, 'name', f.name, 'mime', f.mime,
    'bytes', f.size, 'width', f.width, 'height', f.height, 'seconds', f.seconds)
    from attachment f where f.id = ${id} and f.account_id = ${account})`;

/** SQL: whether its name holds the words. */
export const isNamed = (account: RawBuilder<unknown>, id: RawBuilder<unknown>, words: string) =>
  sql<boolean>`exists (select from attachment f
    where f.id = ${id} and f.account_id = ${account} and ${holdsWords("f.name", words)})`;

/** A database of an older version keeps all bytes in its rows. */
export async function readStoredKeys(tx: Db): Promise<string[]> {
  const { rows: known } = await sql`select from pg_attribute
    where attrelid = to_regclass('attachment') and attname = 'stored_as'`.execute(tx);
  if (known.length === 0) return [];
  const { rows } = await sql<{ key: string }>`
    select stored_as as key from attachment where stored_as is not null order by id`.execute(tx);
  return rows.map(({ key }) => key);
}
