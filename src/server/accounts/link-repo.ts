import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";

export type LinkKind = "reset" | "confirmation";

const PREFIXES: Readonly<Record<LinkKind, string>> = {
  reset: "password-reset:",
  confirmation: "email-confirmation:",
};

export type LinkRow = { id: string; hash: string };

export async function insertLink(
  owner: Owner,
  kind: LinkKind,
  { id, hash, expiresAt, now }: LinkRow & { expiresAt: Date; now: Date },
): Promise<void> {
  await sql`insert into verification (id, identifier, value, expires_at, created_at, updated_at)
    values (${id}, ${PREFIXES[kind] + hash}, ${owner.accountId}, ${expiresAt}, ${now}, ${now})`.execute(
    owner.db,
  );
}

export async function findLinkOwner(
  db: Db,
  kind: LinkKind,
  { id, hash }: LinkRow,
  now: Date,
): Promise<Owner | undefined> {
  const { rows } = await sql<{ account: string }>`
    select a.id as account from verification v join account a on a.id::text = v.value
    where v.id = ${id} and v.identifier = ${PREFIXES[kind] + hash} and v.expires_at > ${now} and a.removed_at is null`.execute(
    db,
  );
  return rows[0] && ownerOf(db, rows[0].account);
}

/** SQL: the link of this id (text) was neither used nor has it expired. */
export const isLinkOpen = (id: RawBuilder<string>, now: Date) => sql<boolean>`exists (
  select 1 from verification v where v.id::text = ${id} and v.expires_at > ${now})`;

/**
 * Blocks password changes and account closing until the transaction ends. Take it before the link's row, as
 * they do; otherwise deadlock.
 */
export async function holdPassword(owner: Owner): Promise<void> {
  await holdAccount(owner);
  await sql`select 1 from credential where account_id = ${owner.accountId} for update`.execute(owner.db);
}

export async function holdAccount(owner: Owner): Promise<void> {
  await sql`select 1 from account where id = ${owner.accountId} for no key update`.execute(owner.db);
}

export async function deleteLinksOf(owner: Owner, kind: LinkKind): Promise<void> {
  await sql`delete from verification where value = ${owner.accountId} and starts_with(identifier, ${PREFIXES[kind]})`.execute(
    owner.db,
  );
}

export async function deleteOldLinks(db: Db, now: Date): Promise<void> {
  for (const prefix of Object.values(PREFIXES))
    await sql`delete from verification where expires_at < ${now} and starts_with(identifier, ${prefix})`.execute(
      db,
    );
}
