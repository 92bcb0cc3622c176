import { type RawBuilder, sql } from "kysely";
import type { BreakerFailure } from "../../domain/breaker.ts";
import type { ShownDelivery } from "../../domain/campaign.ts";
import { DELIVERY, type DeliveryCode } from "../../domain/delivery.ts";
import type { FieldTexts } from "../../domain/message-text.ts";
import { byIndex } from "../db/by-index.ts";
import type { Owner } from "../db/owner.ts";
import { holdsWords, phonePattern } from "../db/search.ts";
import { sqlParts } from "../sending/sending.ts";

const { optOuts, partsSent } = sqlParts();

export type DeliveryRow = {
  seq: number;
  name: string;
  phone: string;
  status: DeliveryCode;
  tries: number;
  error: string | null;
  at: Date | null;
  vars: FieldTexts | null;
  /** Messages of the campaign, and how many of them left. */
  parts: number;
  partsSent: number;
};

export type DeliveryFilter = {
  status?: ShownDelivery | undefined;
  failure?: BreakerFailure | undefined;
  search?: string | undefined;
  /** seq; −1 for the first page. */
  after: number;
  limit: number;
};

const COLUMNS = sql`d.seq, d.name, case when d.phone > 0 then d.phone::text else '' end as phone, d.status, d.tries, d.error, d.at, d.vars, c.parts,
  ${partsSent} as "partsSent"`;

/**
 * By key. Errors, doubts and skipped use the attention index; other filters walk a million in 0.2 s (state)
 * or 0.7 s (words).
 */
export function deliveriesPage(
  owner: Owner,
  campaignId: number,
  filter: DeliveryFilter,
): RawBuilder<DeliveryRow> {
  const search = searched(filter.search);
  const conditions = filter.failure ? [COUNTED[filter.failure]] : conditionsOf(filter.status);
  const pages = conditions.map(
    (condition) => sql`(select ${COLUMNS} from campaign c join delivery d on d.campaign_id = c.id
      where c.id = ${campaignId} and c.account_id = ${owner.accountId}::uuid
        and d.campaign_id = ${campaignId} and d.seq > ${filter.after} ${condition} ${search}
      order by d.seq limit ${filter.limit})`,
  );
  return sql<DeliveryRow>`select * from (${sql.join(pages, sql` union all `)}) as page
    order by seq limit ${filter.limit}`;
}

export async function findDeliveries(
  owner: Owner,
  campaignId: number,
  filter: DeliveryFilter,
): Promise<DeliveryRow[]> {
  return byIndex(owner.db, deliveriesPage(owner, campaignId, filter));
}

const FAILED = sql`and d.needs_attention = ${DELIVERY.error} and d.error`;

const COUNTED: Record<BreakerFailure, RawBuilder<unknown>> = {
  refused: sql`${FAILED} is distinct from 'not_on_whatsapp'`,
  absent: sql`${FAILED} = 'not_on_whatsapp'`,
  undelivered: sql`and d.status in (${DELIVERY.accepted}, ${DELIVERY.sent})`,
  leaving: sql`and d.status >= ${DELIVERY.accepted} and exists (
    select from ${optOuts} o where o.account_id = c.account_id and o.phone = d.phone
      and o.source in ('reply', 'asked') and o.created_at >= d.at)`,
};

/** Not yet handed out (from the cursor on), or returned for another attempt. */
function conditionsOf(status: ShownDelivery | undefined): RawBuilder<unknown>[] {
  switch (status) {
    case undefined:
      return [sql``];
    case "pending":
      return [
        sql`and d.seq >= c.cursor and d.status = ${DELIVERY.pending}`,
        sql`and d.needs_attention = ${DELIVERY.waiting}`,
      ];
    case "sending":
      return [
        sql`and d.seq >= c.lowest_in_flight_seq and d.seq < greatest(c.cursor, c.claimed_to) and d.status = ${DELIVERY.sending}`,
      ];
    case "accepted":
    case "error":
    case "uncertain":
    case "skipped":
      return [sql`and d.needs_attention = ${DELIVERY[status]}`];
    default:
      return [sql`and d.status = ${DELIVERY[status]}`];
  }
}

function searched(search: string | undefined): RawBuilder<unknown> {
  const words = search?.trim();
  if (!words) return sql``;
  const phone = phonePattern(words);
  const byPhone = phone === null ? sql`` : sql`or (d.phone > 0 and d.phone::text like ${phone})`;
  return sql`and (${holdsWords("d.name", words)} ${byPhone})`;
}

export async function findDelivery(
  owner: Owner,
  campaignId: number,
  seq: number,
): Promise<DeliveryRow | undefined> {
  const { rows } =
    await sql<DeliveryRow>`select ${COLUMNS} from delivery d join campaign c on c.id = d.campaign_id
    where d.campaign_id = ${campaignId} and d.seq = ${seq} and c.account_id = ${owner.accountId}::uuid`.execute(
      owner.db,
    );
  return rows[0];
}
