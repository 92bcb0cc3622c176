import { sql } from "kysely";
import type { FieldValues } from "../../contract/contact-fields.ts";
import { currentRequest } from "../base/request-context.ts";
import type { Owner } from "../db/owner.ts";

/** Adds to the account's kept count, in the transaction that adds the people. */
export async function countAdded(owner: Owner, people: number): Promise<void> {
  if (people === 0) return;
  await sql`insert into account_people (account_id, people) values (${owner.accountId}::uuid, ${people})
    on conflict (account_id) do update set people = account_people.people + excluded.people`.execute(
    owner.db,
  );
}

/** Of a person just written and locked by this transaction; `added`: not known before, nor counted yet. */
export type PutPerson = { id: number; added: boolean };

/**
 * The person with this phone, new or known; a name replaces the known one. Before limits are checked: it may wait for
 * an import, which checks them at its end.
 */
export async function putPerson(
  owner: Owner,
  { name, phone }: { name: string; phone: string },
): Promise<PutPerson> {
  const { origin, by } = originNow();
  const { rows } = await sql<PutPerson>`
    insert into person (account_id, phone, name, origin, origin_by)
    values (${owner.accountId}::uuid, ${phone}::bigint, ${name}, ${origin}, ${by})
    on conflict (account_id, phone) do update set name = coalesce(nullif(excluded.name, ''), person.name),
      updated_at = case when excluded.name in ('', person.name) then person.updated_at else now() end
    returning id, xmax = 0 as added`.execute(owner.db);
  return rows[0] ?? { id: 0, added: false };
}

/** The id of a new person; null: the phone is another person's. Not counted yet. */
export async function insertPerson(
  owner: Owner,
  { name, phone, fields }: { name: string; phone: string; fields: FieldValues },
): Promise<number | null> {
  const { origin, by } = originNow();
  const { rows } = await sql<{ id: number }>`
    insert into person (account_id, phone, name, fields, origin, origin_by)
    values (${owner.accountId}::uuid, ${phone}::bigint, ${name}, ${JSON.stringify(fields)}::jsonb, ${origin}, ${by})
    on conflict (account_id, phone) do nothing returning id`.execute(owner.db);
  return rows[0]?.id ?? null;
}

function originNow(): { origin: "hand" | "api"; by: string | null } {
  const actor = currentRequest()?.actor;
  return actor?.by === "key" ? { origin: "api", by: actor.keyName } : { origin: "hand", by: null };
}
