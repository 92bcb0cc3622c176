import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import { holdsWords } from "../../db/search.ts";
import { OUTGOING_TEXT } from "../ledger/outgoing-text.ts";

type Place = { accountId: string; connectionId: number };

const LEFT_US = sql`d.status >= ${DELIVERY.uncertain} and d.at is not null`;

/** SQL rows: what campaigns sent to a phone over a connection, or may have. One row per campaign, each by key. */
export const campaignMessages = ({ accountId, connectionId }: Place, phone: string | null) => sql`(
  select c.account_id, d.at, d.campaign_id, d.seq, d.status, d.error, d.name, c.name as campaign, ${OUTGOING_TEXT} as text, c.attachment_id, c.name_fallback,
    c.text_version, d.vars
  from campaign c join delivery d on d.campaign_id = c.id and d.phone = ${phone}::bigint
  where c.account_id = ${accountId}::uuid and c.connection_id = ${connectionId} and c.deleted_at is null and ${LEFT_US})`;

const CAMPAIGNS_MOST = 20;

/** SQL: the person got one of the latest campaigns over the connection whose text holds all words. */
export function gotCampaign(
  { accountId, connectionId }: Place,
  phone: RawBuilder<unknown>,
  words: readonly string[],
): RawBuilder<boolean> {
  const holdsAll = sql.join(
    words.map((word) => holdsWords("k.text", word)),
    sql` and `,
  );
  return sql<boolean>`exists (
    select 1 from delivery d where d.phone = ${phone} and ${LEFT_US}
      and d.campaign_id = any(array(
        select k.id from campaign k
        where k.account_id = ${accountId}::uuid and k.connection_id = ${connectionId} and k.total > 0 and ${holdsAll}
        order by k.id desc limit ${CAMPAIGNS_MOST})))`;
}
