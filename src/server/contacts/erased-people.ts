import { type RawBuilder, sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import type { Db } from "../db/client.ts";
import { holdErasures } from "../db/erasure-lock.ts";
import type { Owner } from "../db/owner.ts";
import type { Secrets } from "../db/secrets.ts";

const BLOCK = 64;

export type ErasedSecrets = Pick<Secrets, "derive" | "deriveAll" | "keyIds">;

const purposeOf = ({ accountId }: Owner) => `erased_person/${accountId}`;

/** SQL: HMAC-SHA-256 of a canonical phone, so that a batch is hashed where it is. */
function hashOf(key: Buffer, phone: RawBuilder<unknown>): RawBuilder<Buffer> {
  const padded = (byte: number) => Buffer.alloc(BLOCK, byte).map((pad, at) => pad ^ (key[at] ?? 0));
  const inner = sql`sha256(${Buffer.from(padded(0x36))}::bytea || convert_to((${phone})::text, 'UTF8'))`;
  return sql<Buffer>`sha256(${Buffer.from(padded(0x5c))}::bytea || ${inner})`;
}

/** SQL: this phone's person was erased; older keys count. */
export function wasErased(owner: Owner, secrets: ErasedSecrets, phone: RawBuilder<unknown>) {
  const hashes = secrets.deriveAll(purposeOf(owner)).map((key) => hashOf(key, phone));
  return sql<boolean>`exists (select from erased_person e
    where e.account_id = ${owner.accountId}::uuid and e.hash in (${sql.join(hashes)}))`;
}

/** Until the transaction ends the person cannot be erased. Throws `person_erased`; `takeBack`: they asked again. */
export async function refuseErased(
  inside: Owner,
  secrets: ErasedSecrets,
  phone: string,
  takeBack = false,
): Promise<void> {
  await holdErasures(inside.db, inside.accountId, "write");
  if (!(await isErased(inside, secrets, phone))) return;
  if (!takeBack) throw new AppError("person_erased");
  await removeErased(inside, secrets, phone);
  await record(inside, { kind: "person_taken_back" });
}

async function isErased(owner: Owner, secrets: ErasedSecrets, phone: string): Promise<boolean> {
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

async function removeErased(owner: Owner, secrets: ErasedSecrets, phone: string): Promise<void> {
  const hashes = secrets.deriveAll(purposeOf(owner)).map((key) => hashOf(key, sql`${phone}::bigint`));
  await sql`delete from erased_person
    where account_id = ${owner.accountId}::uuid and hash in (${sql.join(hashes)})`.execute(owner.db);
}

/** Hashes under a lost key recognize no number any more. */
export async function deleteUnreadableErased(db: Db, { keyIds }: Pick<Secrets, "keyIds">): Promise<number> {
  const { numAffectedRows } = await sql`delete from erased_person
    where key_id <> all(${keyIds}::bytea[])`.execute(db);
  return Number(numAffectedRows ?? 0);
}
