import { sql } from "kysely";
import type { ContactField, FieldKind } from "../../contract/contact-fields.ts";
import type { Owner } from "../db/owner.ts";

const COLUMNS = sql.raw("id, key, label, kind");

export async function findFields(owner: Owner): Promise<ContactField[]> {
  const { rows } = await sql<ContactField>`select ${COLUMNS} from contact_field
    where account_id = ${owner.accountId}::uuid order by seq, id`.execute(owner.db);
  return rows;
}

/** A removal waits for this transaction, so that no value is written after it. */
export async function holdFields(owner: Owner): Promise<ContactField[]> {
  const { rows } = await sql<ContactField>`select ${COLUMNS} from contact_field
    where account_id = ${owner.accountId}::uuid order by id for key share`.execute(owner.db);
  return rows;
}

/** Until the transaction ends no other adds or renames a field. */
export async function lockNaming(owner: Owner): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`contact fields ${owner.accountId}`}, 0))`.execute(
    owner.db,
  );
}

export async function insertField(
  owner: Owner,
  { key, label, kind }: { key: string; label: string; kind: FieldKind },
): Promise<ContactField | undefined> {
  const { rows } = await sql<ContactField>`insert into contact_field (account_id, key, label, kind, seq)
    select ${owner.accountId}::uuid, ${key}, ${label}, ${kind}, coalesce(max(seq) + 1, 0)
    from contact_field where account_id = ${owner.accountId}::uuid
    returning ${COLUMNS}`.execute(owner.db);
  return rows[0];
}

export async function renameField(
  owner: Owner,
  id: number,
  label: string,
): Promise<ContactField | undefined> {
  const { rows } = await sql<ContactField>`update contact_field set label = ${label}
    where id = ${id} and account_id = ${owner.accountId}::uuid returning ${COLUMNS}`.execute(owner.db);
  return rows[0];
}

export async function deleteField(owner: Owner, id: number): Promise<ContactField | undefined> {
  const { rows } = await sql<ContactField>`delete from contact_field
    where id = ${id} and account_id = ${owner.accountId}::uuid returning ${COLUMNS}`.execute(owner.db);
  return rows[0];
}

/** Answers of how many people. */
export async function dropValues(owner: Owner, key: string): Promise<number> {
  const { numAffectedRows } = await sql`update person set fields = fields - ${key}::text, updated_at = now()
    where account_id = ${owner.accountId}::uuid and jsonb_exists(fields, ${key})`.execute(owner.db);
  return Number(numAffectedRows ?? 0);
}
