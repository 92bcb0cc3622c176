import { type RawBuilder, sql } from "kysely";
import type { Db } from "./client.ts";
import type { Owner } from "./owner.ts";
import type { Secrets } from "./secrets.ts";

export const ERASED_COUNTS =
  "(select account_id, count(*)::int as people, max(erased_at) as last_at from erased_person group by account_id)";

const BLOCK = 64;

export type ErasedSecrets = Pick<Secrets, "derive" | "deriveAll" | "keyIds">;

const purposeOf = ({ accountId }: Owner) => `erased_person/${accountId}`;

function hashOf(key: Buffer, phone: RawBuilder<unknown>): RawBuilder<Buffer> {
  const padded = (byte: number) => Buffer.alloc(BLOCK, byte).map((pad, at) => pad ^ (key[at] ?? 0));
  const inner = sql`sha256(${Buffer.from(padded(0x36))}::bytea || convert_to((${phone})::text, 'UTF8'))`;
  return sql<Buffer>`sha256(${Buffer.from(padded(0x5c))}::bytea || ${inner})`;
}

/** Older keys count. */
export function wasErased(owner: Owner, secrets: ErasedSecrets, phone: RawBuilder<unknown>) {
  const hashes = secrets.deriveAll(purposeOf(owner)).map((key) => hashOf(key, phone));
  return sql<boolean>`exists (select from erased_person e
    where e.account_id = ${owner.accountId}::uuid and e.hash in (${sql.join(hashes)}))`;
}

export async function isErased(owner: Owner, secrets: ErasedSecrets, phone: string): Promise<boolean> {
  const { rows } = await sql<{ erased: boolean }>`
    select ${wasErased(owner, secrets, sql`${phone}::bigint`)} as erased`.execute(owner.db);
  return rows[0]?.erased ?? false;
}

export async function countErased(owner: Owner): Promise<number> {
  const { rows } = await sql<{ people: number }>`select count(*)::int as people from erased_person
    where account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows[0]?.people ?? 0;
}

export async function addErased(owner: Owner, secrets: ErasedSecrets, phone: string): Promise<void> {
  const hash = hashOf(secrets.derive(purposeOf(owner)), sql`${phone}::bigint`);
  await sql`insert into erased_person (account_id, hash, key_id)
    values (${owner.accountId}::uuid, ${hash}, ${secrets.keyIds[0]}) on conflict do nothing`.execute(
    owner.db,
  );
}

export async function removeErased(owner: Owner, secrets: ErasedSecrets, phone: string): Promise<void> {
  const hashes = secrets.deriveAll(purposeOf(owner)).map((key) => hashOf(key, sql`${phone}::bigint`));
  await sql`delete from erased_person
    where account_id = ${owner.accountId}::uuid and hash in (${sql.join(hashes)})`.execute(owner.db);
}

export async function deleteUnreadableErased(db: Db, { keyIds }: Pick<Secrets, "keyIds">): Promise<number> {
  const { numAffectedRows } = await sql`delete from erased_person
    where key_id <> all(${keyIds}::bytea[])`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Erasing and writing people exclude each other until the transaction ends. */
export async function holdErasures(tx: Db, accountId: string, who: "erase" | "write"): Promise<void> {
  const lock = sql.raw(who === "erase" ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared");
  await sql`select ${lock}(hashtextextended('erasures ' || ${accountId}::text, 0))`.execute(tx);
}
