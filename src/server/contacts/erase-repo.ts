import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

export async function deleteNotedRows(owner: Owner, numbers: readonly string[], name: string): Promise<void> {
  await sql`delete from contact_import_row r using contact_import i
    where i.id = r.import_id and i.account_id = ${owner.accountId}::uuid and (
      regexp_replace(r.value, '\\D', '', 'g') like any(${numbers.map((digits) => `%${digits}`)}::text[])
      or (${name} <> '' and lower(r.name) = lower(${name})))`.execute(owner.db);
}

export async function renameLists(owner: Owner, from: string, to: string): Promise<void> {
  const { accountId, db } = owner;
  await sql`update contact_list set name = ${to} where account_id = ${accountId}::uuid and name = ${from}`.execute(
    db,
  );
}

export async function deletePerson(owner: Owner, id: number): Promise<void> {
  await sql`delete from person where id = ${id} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
}
