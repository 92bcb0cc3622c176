import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import { MAX_SEQ } from "../../../domain/message-id.ts";
import { holdsWords } from "../../db/search.ts";
import { OUTGOING_TEXT } from "../ledger/outgoing-text.ts";
import { firstLeft } from "../ledger/units.ts";

type Place = { accountId: string; connectionId: number };

const LEFT_US = sql`d.status >= ${DELIVERY.uncertain} and d.at is not null`;

/** SQL rows of a person `d`: their one message, or of several those that left and the one that may have. */
const MESSAGES = sql`(
  select 0 as part, d.at, d.status, d.error, c.attachment_id, ${OUTGOING_TEXT} as text where c.parts = 1 and ${LEFT_US}
  union all
  select n, coalesce(p.at, d.at), coalesce(p.status, d.status), case when p.status is null then d.error end,
    case when n = 0 then c.attachment_id else (
      select f.attachment_id from campaign_part f where f.campaign_id = c.id and f.part = n) end,
    case when n = 0 then ${OUTGOING_TEXT} else '' end
  from generate_series(0, c.parts - 1) n
    left join delivery_part p on p.campaign_id = d.campaign_id and p.seq = d.seq and p.part = n and p.status >= ${DELIVERY.accepted}
  where c.parts > 1 and (p.status is not null or ${LEFT_US}
    and (d.status >= ${DELIVERY.accepted} or n = ${firstLeft(sql`c.parts`, "d")})))`;

/** SQL rows: what campaigns sent to a phone over a connection, or may have; `place` as `placeOf`. Each by key. */
export const campaignMessages = ({ accountId, connectionId }: Place, phone: string | null) => sql`(
  select c.account_id, m.at, d.campaign_id, d.seq + m.part * ${sql.lit(MAX_SEQ + 1)}::bigint as place, m.status, m.error, d.name, c.name as campaign,
    m.text, m.attachment_id, c.name_fallback, c.text_version, d.vars
  from campaign c join delivery d on d.campaign_id = c.id and d.phone = ${phone}::bigint
    cross join lateral ${MESSAGES} m
  where c.account_id = ${accountId}::uuid and c.connection_id = ${connectionId} and c.deleted_at is null)`;

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
