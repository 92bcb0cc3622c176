import { sql } from "kysely";
import type { FieldTexts } from "../../../domain/message-text.ts";
import type { Owner } from "../../db/owner.ts";
import { OUTGOING_TEXT } from "../ledger/outgoing-text.ts";
import { PARTS_SENT } from "../ledger/units.ts";

type ReachedBy = {
  id: number;
  name: string;
  status: number;
  error: string | null;
  text: string;
  person: string;
  fallback: string;
  version: number;
  vars: FieldTexts | null;
  /** Messages of the campaign, and how many of them left. */
  parts: number;
  partsSent: number;
  /** Last change of the delivery, in microseconds since 1970. */
  us: number;
};

/** Older than this instant, or of it with a lower id. */
export type Before = { us: number; id: number };

const of = (owner: Owner, phone: string) => sql`
  campaign c join delivery d on d.campaign_id = c.id and d.phone = ${phone}::bigint
  where c.account_id = ${owner.accountId}::uuid and c.deleted_at is null`;

/** Newest first; one look-up by key for each campaign of the account. */
export async function findCampaignsTo(
  owner: Owner,
  phone: string,
  before: Before | null,
  limit: number,
): Promise<ReachedBy[]> {
  const older = before === null ? sql`true` : sql`(us, id) < (${before.us}::bigint, ${before.id}::bigint)`;
  const { rows } = await sql<ReachedBy>`select * from (
      select c.id, c.name, d.status, d.error, ${OUTGOING_TEXT} as text, d.name as person, c.name_fallback as fallback, c.text_version as version, d.vars,
        c.parts, ${PARTS_SENT} as "partsSent",
        (extract(epoch from coalesce(d.at, c.started_at, c.created_at)) * 1000000)::bigint as us
      from ${of(owner, phone)}) as reached
    where ${older} order by us desc, id desc limit ${limit}`.execute(owner.db);
  return rows;
}

export async function countCampaignsTo(owner: Owner, phone: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${of(owner, phone)}`.execute(
    owner.db,
  );
  return rows[0]?.n ?? 0;
}
