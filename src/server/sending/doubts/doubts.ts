import { sql } from "kysely";
import type { AttachmentSummary } from "../../../contract/files.ts";
import { messageKindOf } from "../../../domain/attachment.ts";
import { contentHash } from "../../../domain/content-hash.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { type FieldTexts, renderMessage } from "../../../domain/message-text.ts";
import type { Db } from "../../db/client.ts";
import { fileReads } from "../../files/service.ts";
import { OUTGOING_TEXT } from "../ledger/outgoing-text.ts";
import { firstLeft } from "../ledger/units.ts";
import type { MessageOwner } from "../receipts/provider-messages.ts";
import type { Attempt } from "./match-outgoing.ts";

/** Webhook messages are kept this long; doubts over the limit wait for the next look. */
const LOOKED_FOR_DAYS = 2;
const MOST = 2_000;

/** Allowed clock difference of gateways. */
const SKEW_MS = 2 * 60_000;
/** A reconnecting gateway may still send a held message a minute later. */
const HELD_MS = 5 * 60_000;

export type SentUnknown = Attempt & {
  owner: MessageOwner;
  accountId: string;
  phone: string | null;
  jid: string | null;
  lid: string | null;
  open: boolean;
};

type Row = {
  campaignId: number | null;
  seq: number;
  generation: number;
  part: number;
  outboxId: number | null;
  accountId: string;
  phone: string | null;
  to: string | null;
  jid: string | null;
  lid: string | null;
  text: string;
  name: string;
  fallback: string;
  version: number;
  vars: FieldTexts | null;
  attachment: AttachmentSummary | null;
  status: number;
  doubtful: boolean;
  messages: number;
  at: Date | null;
};

/**
 * SQL: which of a person's messages an attempt is about. After a human's resend any of them may exist twice, so all
 * are, and none is settled by content.
 */
const ABOUT = sql`cross join lateral (
  select ${firstLeft(sql`c.parts`, "d")} as part
  union select n from generate_series(0, c.parts - 1) n where c.parts > 1 and d.resend_number > 0) about`;

/** SQL: the file that goes with it. */
const FILE = sql`(case when about.part = 0 then c.attachment_id else (
  select p.attachment_id from campaign_part p where p.campaign_id = c.id and p.part = about.part) end)`;

const PERSON = sql`c.id as "campaignId", d.seq, d.resend_number as generation, about.part, null::bigint as "outboxId", c.account_id as "accountId",
  d.phone::text as phone, null::text as to, a.jid, a.lid,
  case when about.part = 0 then ${OUTGOING_TEXT} else '' end as text, d.name, c.name_fallback as fallback, c.text_version as version, d.vars,
  ${fileReads.summaryOf(sql`c.account_id`, FILE)} as attachment, d.status, d.ambiguous as doubtful, d.at`;

const SINGLE = sql`null::bigint as "campaignId", 0 as seq, 0 as generation, 0 as part, o.id as "outboxId", o.account_id as "accountId",
  o.phone::text as phone, o.jid as to, a.jid, a.lid, o.text, '' as name, '' as fallback, 0::smallint as version, null::jsonb as vars,
  ${fileReads.summaryOf(sql`o.account_id`, sql`o.attachment_id`)} as attachment, o.status, o.ambiguous as doubtful, o.at`;

export const DOUBTFUL = sql`(${sql.lit(DELIVERY.waiting)}, ${sql.lit(DELIVERY.uncertain)})`;
export const LOOKED_FOR = sql`now() - ${LOOKED_FOR_DAYS} * interval '1 day'`;

export async function findDoubts(db: Db, connectionId: number): Promise<SentUnknown[]> {
  const { rows } = await sql<Row>`select * from (
      select ${PERSON}, 1 as messages from campaign c
        join delivery d on d.campaign_id = c.id and d.needs_attention in ${DOUBTFUL} and d.ambiguous and d.at > ${LOOKED_FOR}
        cross join lateral (select ${firstLeft(sql`c.parts`, "d")} as part) about
        left join gateway_address a on a.account_id = c.account_id and a.phone = d.phone
      where c.connection_id = ${connectionId} and (c.waiting_count > 0 or c.uncertain_count > 0)
      union all
      select ${SINGLE}, 1 from outbox o left join gateway_address a on a.account_id = o.account_id and a.phone = o.phone
      where o.connection_id = ${connectionId} and o.ambiguous and o.status in ${DOUBTFUL} and o.at > ${LOOKED_FOR}) as doubt
    order by status, at desc limit ${MOST}`.execute(db);
  return rows.map(attemptOf);
}

/**
 * Attempts whose message may exist under an unknown id: in flight, in doubt, or decided by a human before the
 * id was known.
 */
export async function findAttempts(
  db: Db,
  connectionId: number,
  doubts: readonly SentUnknown[],
): Promise<SentUnknown[]> {
  const names = [...new Set(doubts.flatMap((one) => one.names))];
  const { rows } = await sql<Row>`with person as (
      select a.phone from gateway_address a join connection k on k.account_id = a.account_id
      where k.id = ${connectionId} and (a.jid = any(${names}::text[]) or a.lid = any(${names}::text[]))
      union select phone from unnest(${doubts.map((one) => one.phone)}::bigint[]) as t(phone) where phone is not null),
    unknown as (
      select ${PERSON}, d.resend_number - case when c.parts = 1 then known.before else 0 end
          + case when known.last or not (d.ambiguous or d.status = ${DELIVERY.sending}) then 0 else 1 end as messages
      from campaign c
        join delivery d on d.campaign_id = c.id and d.phone in (select phone from person)
          and (d.ambiguous or d.status = ${DELIVERY.sending} or d.resend_number > 0)
        ${ABOUT}
        cross join lateral (
          -- Earlier resend numbers were sent in doubt; the current one is unknown only in doubt or in flight.
          select (count(*) filter (where p.resend_number < d.resend_number))::int as before,
            count(*) filter (where p.resend_number = d.resend_number and p.part = about.part) > 0 as last
          from provider_message p where p.campaign_id = d.campaign_id and p.seq = d.seq) known
        left join gateway_address a on a.account_id = c.account_id and a.phone = d.phone
      where c.connection_id = ${connectionId} and c.claimed_at > ${LOOKED_FOR} - interval '1 day'
      union all
      select ${SINGLE}, 1 from outbox o left join gateway_address a on a.account_id = o.account_id and a.phone = o.phone
      where o.connection_id = ${connectionId} and (o.phone in (select phone from person) or o.jid = any(${names}::text[]))
        -- The first time in flight there is no time yet.
        and (o.status = ${DELIVERY.sending} or o.ambiguous and o.at > ${LOOKED_FOR} - interval '1 day')
        and not exists (select 1 from provider_message p where p.outbox_id = o.id))
    select * from unknown where messages > 0`.execute(db);
  return rows.map(attemptOf);
}

function attemptOf(row: Row): SentUnknown {
  const { campaignId, seq, generation, part, outboxId, accountId, phone, status, doubtful, messages } = row;
  const owner = campaignId === null ? { outboxId: outboxId ?? 0 } : { campaignId, seq, generation, part };
  const isDoubt = doubtful && (status === DELIVERY.waiting || status === DELIVERY.uncertain);
  const text =
    campaignId === null ? row.text : renderMessage(row.text, row.name, row.fallback, row.version, row.vars);
  return {
    owner,
    accountId,
    phone,
    messages,
    jid: row.to ?? row.jid,
    lid: row.lid,
    names: [phone, row.to, row.jid, row.lid].filter((name) => name !== null),
    content: contentOf(row.attachment, text).toString("hex"),
    window: isDoubt && row.at !== null ? windowOf(row.at.getTime()) : null,
    open: status === DELIVERY.waiting,
  };
}

/** As the provider's copy reads: a document without a caption says its name. */
function contentOf(attachment: AttachmentSummary | null, text: string): Buffer {
  if (!attachment) return contentHash("text", text);
  return contentHash(messageKindOf(attachment.kind), text || attachment.name);
}

function windowOf(at: number): { from: number; to: number } {
  return { from: at - SKEW_MS, to: at + HELD_MS };
}
