import { type RawBuilder, sql } from "kysely";
import type { FieldValues } from "../../contract/contact-fields.ts";
import type { ImportBasis } from "../../contract/import-drafts.ts";
import { byIndex } from "../db/by-index.ts";
import type { Owner } from "../db/owner.ts";
import { holdsWords, phonePattern } from "../db/search.ts";
import { sqlParts } from "../sending/sending.ts";

const { optOuts } = sqlParts();

export type PersonRow = {
  id: number;
  phone: string;
  name: string;
  fields: FieldValues;
  created_at: Date;
  opted_out: "reply" | "manual" | "asked" | null;
};

export const ours = ({ accountId }: Owner) => sql`p.account_id = ${accountId}::uuid`;

/** SQL: `p` matches a search; any, if it is empty. */
export function matchesPerson(search: string): RawBuilder<unknown> {
  if (search === "") return sql`true`;
  const phone = phonePattern(search);
  const name = holdsWords("p.name", search);
  return phone === null ? name : sql`(${name} or p.phone::text like ${phone})`;
}

export type PersonFacts = PersonRow & {
  updated_at: Date;
  origin: "file" | "hand" | "chat" | "api" | "migration";
  origin_by: string | null;
  origin_row: number | null;
  file_name: string | null;
  basis: ImportBasis | null;
  basis_note: string | null;
};

export async function findPerson(owner: Owner, id: number): Promise<PersonFacts | undefined> {
  const { rows } = await sql<PersonFacts>`
    select p.id, p.phone::text as phone, p.name, p.fields, p.created_at, p.updated_at, p.origin, p.origin_by, p.origin_row,
      i.file_name, i.basis, i.basis_note, o.source as opted_out
    from person p left join contact_import i on i.id = p.origin_import_id and i.account_id = p.account_id
      left join ${optOuts} o on o.account_id = p.account_id and o.phone = p.phone
    where p.id = ${id} and ${ours(owner)}`.execute(owner.db);
  return rows[0];
}

export type NamedPhone = { id: number; name: string; phone: string };

export async function findByPhone(owner: Owner, phone: string): Promise<NamedPhone | undefined> {
  const { rows } = await sql<NamedPhone>`select p.id, p.name, p.phone::text as phone from person p
    where ${ours(owner)} and p.phone = ${phone}::bigint`.execute(owner.db);
  return rows[0];
}

export async function findListsOf(owner: Owner, personId: number): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select l.id, l.name from membership m join contact_list l on l.id = m.list_id
    where m.person_id = ${personId} and l.account_id = ${owner.accountId}::uuid order by l.id desc`.execute(
    owner.db,
  );
  return rows;
}

/** Undefined without that list. */
export async function countShown(owner: Owner, listId: number | null): Promise<number | undefined> {
  const kept =
    listId === null
      ? sql`select coalesce((select people from account_people where account_id = ${owner.accountId}::uuid), 0)::float8 as people`
      : sql`select contacts as people from contact_list where id = ${listId} and account_id = ${owner.accountId}::uuid`;
  const { rows } = await sql<{ people: number }>`${kept}`.execute(owner.db);
  return rows[0]?.people;
}

export async function countMatches(owner: Owner, listId: number | null, search: string): Promise<number> {
  const those = sql`${ours(owner)} and ${matchesPerson(search)}`;
  const from =
    listId === null
      ? sql`person p where ${those}`
      : sql`membership m join person p on p.id = m.person_id where m.list_id = ${listId} and ${those}`;
  const [row] = await byIndex(
    owner.db,
    sql<{ people: number }>`select count(*)::float8 as people from ${from}`,
  );
  return row?.people ?? 0;
}

export async function findPhones(owner: Owner, ids: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ phone: string }>`select p.phone::text as phone from person p
    where p.id = any(${ids}::bigint[]) and ${ours(owner)}`.execute(owner.db);
  return rows.map(({ phone }) => phone);
}

export async function lockPeople(owner: Owner, ids: readonly number[]): Promise<NamedPhone[]> {
  const { rows } = await sql<NamedPhone>`select p.id, p.name, p.phone::text as phone from person p
    where p.id = any(${ids}::bigint[]) and ${ours(owner)} order by p.id for update`.execute(owner.db);
  return rows;
}

type PersonChange = {
  name?: string | undefined;
  phone?: string | undefined;
  set: FieldValues;
  removed: readonly string[];
  /** False: values that are not set go. */
  keeps?: boolean;
};

/** Fails on the phone of another person (`PHONE_KEY`). */
export async function updatePerson(
  owner: Owner,
  id: number,
  { name, phone, set, removed, keeps = true }: PersonChange,
): Promise<void> {
  await sql`update person p set name = coalesce(${name ?? null}, p.name), phone = coalesce(${phone ?? null}::bigint, p.phone),
      fields = (${keeps ? sql`p.fields` : sql`'{}'::jsonb`} || ${JSON.stringify(set)}::jsonb) - ${removed}::text[], updated_at = now()
    where p.id = ${id} and ${ours(owner)}`.execute(owner.db);
}

export const PHONE_KEY = "person_account_id_phone_key";

/** The other's places where `id` has none; then the other goes. */
export async function absorbPerson(owner: Owner, id: number, otherId: number): Promise<void> {
  await sql`update membership m set person_id = ${id} from contact_list l
    where m.person_id = ${otherId} and l.id = m.list_id and l.account_id = ${owner.accountId}::uuid
      and not exists (select from membership has where has.list_id = m.list_id and has.person_id = ${id})`.execute(
    owner.db,
  );
  await sql`delete from person p where p.id = ${otherId} and ${ours(owner)}`.execute(owner.db);
}
