import { sql } from "kysely";
import type { AttachmentKind } from "../../domain/attachment.ts";
import { SOURCES_MOST } from "../../domain/audience.ts";
import type { FieldKind } from "../../domain/field-values.ts";
import { contactReads } from "../contacts/service.ts";
import { accountRow } from "../db/account.ts";
import type { Owner } from "../db/owner.ts";
import { fileReads } from "../files/service.ts";
import { sqlParts } from "../sending/sending.ts";
import { assignmentsOf, COLUMNS, type Content, valuesOf } from "./columns.ts";

export type Idempotency = { key: string; hash: Buffer };

export type References = {
  /** Null: none, or of another account. */
  attachment: AttachmentKind | null;
  /** Of the files that follow, each as above. */
  more: (AttachmentKind | null)[];
  connection: number | null;
  list: number | null;
  connections: number;
  zone: string;
  fields: FieldKinds;
};

export type FieldKinds = Readonly<Record<string, FieldKind>>;

/** SQL, of account `a`. */
const KINDS = sql`(select coalesce(jsonb_object_agg(f.key, f.kind), '{}') from ${contactReads.FIELDS} f
  where f.account_id = a.id)`;

export async function findFieldKinds({ db, accountId }: Owner): Promise<FieldKinds> {
  const { rows } = await sql<{
    fields: FieldKinds;
  }>`select ${KINDS} as fields from ${accountRow(accountId)} a`.execute(db);
  return rows[0]?.fields ?? {};
}

/** `list` is the number of contacts, `zone` the account's. */
export async function findReferences(
  owner: Owner,
  ids: {
    attachmentId: number | null;
    moreAttachmentIds?: readonly number[];
    connectionId: number | null;
    listId: number | null;
  },
): Promise<References | undefined> {
  const { rows } = await sql<References>`select
      ${fileReads.kindOf(sql`a.id`, sql`${ids.attachmentId}::bigint`)} as attachment,
      to_json(array(select ${fileReads.kindOf(sql`a.id`, sql`given.id`)}
        from unnest(${[...(ids.moreAttachmentIds ?? [])]}::bigint[]) with ordinality given(id, nth) order by nth)) as more,
      (select id from connection k where k.account_id = a.id and k.desired <> 'removed' and k.id = ${ids.connectionId}) as connection,
      (select l.contacts from ${contactReads.LISTS} l where l.account_id = a.id and l.id = ${ids.listId}) as list,
      (select count(*)::int from connection k where k.account_id = a.id and k.desired <> 'removed') as connections,
      a.zone, ${KINDS} as fields
    from ${accountRow(owner.accountId)} a`.execute(owner.db);
  return rows[0];
}

/** The history shows names of deleted lists and connections. */
const names = (owner: Owner, content: Content) => ({
  connection: sql`(select name from connection where id = ${content.connectionId} and account_id = ${owner.accountId}::uuid)`,
  list: sql`(select string_agg(name, ' + ' order by nth) from (
    select l.name, k.nth from unnest(${listsOf(content)}::bigint[]) with ordinality k(id, nth)
      join ${contactReads.LISTS} l on l.id = k.id and l.account_id = ${owner.accountId}::uuid
    union all
    select s.name, ${SOURCES_MOST}::int + k.nth from unnest(${content.audience?.segmentIds ?? []}::bigint[]) with ordinality k(id, nth)
      join ${sqlParts().segments} s on s.id = k.id and s.account_id = ${owner.accountId}::uuid) source)`,
});

const listsOf = ({ listId, audience }: Content) => audience?.listIds ?? (listId === null ? [] : [listId]);

/** Undefined when nonce or key is taken. Waits for a request with the same key. */
export async function insertCampaign(
  owner: Owner,
  content: Content,
  nonce: number,
  idempotency: Idempotency | null,
): Promise<number | undefined> {
  const name = names(owner, content);
  const { rows } = await sql<{
    id: number;
  }>`insert into campaign (account_id, ${COLUMNS}, connection_name, list_name, nonce,
      idempotency_key, idempotency_hash, idempotency_at)
    values (${owner.accountId}::uuid, ${valuesOf(content)}, ${name.connection}, ${name.list}, ${nonce},
      ${idempotency?.key ?? null}, ${idempotency?.hash ?? null}, ${idempotency ? sql`now()` : null})
    on conflict do nothing
    returning id`.execute(owner.db);
  return rows[0]?.id;
}

/** Frees keys after 24 hours. */
export async function deleteOldKey(owner: Owner, key: string): Promise<void> {
  await sql`update campaign set idempotency_key = null, idempotency_hash = null, idempotency_at = null
    where account_id = ${owner.accountId}::uuid and idempotency_key = ${key}
      and idempotency_at < now() - interval '24 hours'`.execute(owner.db);
}

export async function findByKey(
  owner: Owner,
  key: string,
): Promise<{ id: number; hash: Buffer | null } | undefined> {
  const { rows } = await sql<{
    id: number;
    hash: Buffer | null;
  }>`select id, idempotency_hash as hash from campaign
    where account_id = ${owner.accountId}::uuid and idempotency_key = ${key}
      and idempotency_at >= now() - interval '24 hours'`.execute(owner.db);
  return rows[0];
}

export async function updateContent(
  owner: Owner,
  campaignId: number,
  content: Content,
  idempotency: Idempotency | null,
): Promise<void> {
  const name = names(owner, content);
  // Otherwise a late retry of the creation makes a second campaign.
  const remembered = idempotency
    ? sql`, idempotency_key = ${idempotency.key}, idempotency_hash = ${idempotency.hash}, idempotency_at = now()`
    : sql``;
  await sql`update campaign set ${assignmentsOf(content)}, connection_name = ${name.connection}, list_name = ${name.list},
      updated_at = now() ${remembered}
    where id = ${campaignId} and account_id = ${owner.accountId}::uuid and status in ('draft', 'scheduled')`.execute(
    owner.db,
  );
}

/** False: not a draft any more. */
export async function deleteDraft(owner: Owner, campaignId: number): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from campaign
    where id = ${campaignId} and account_id = ${owner.accountId}::uuid and status = 'draft'`.execute(
    owner.db,
  );
  return Number(numAffectedRows ?? 0) > 0;
}
