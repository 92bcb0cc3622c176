import { sql } from "kysely";
import { contentHash } from "../../../domain/content-hash.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { renderMessage } from "../../../domain/message-text.ts";
import type { Db } from "../../db/client.ts";
import type { MessageOwner } from "../receipts/provider-messages.ts";
import type { Attempt } from "./match-outgoing.ts";

/** A doubt that nobody settled is looked for as long as echoes are kept; those beyond so many of a connection wait for the next look. */
const LOOKED_FOR_DAYS = 2;
const MOST = 2_000;

/** Clocks of gateways may be off by this much. */
const SKEW_MS = 2 * 60_000;
/** This long after its attempt a message may still leave: a gateway that is reconnecting holds it for a minute. */
const HELD_MS = 5 * 60_000;

/** A person, or a single message, whom we sent something through a gateway without knowing its id. */
export type SentUnknown = Attempt & {
  owner: MessageOwner;
  accountId: string;
  phone: string | null;
  /** The address that it goes to, where it is known. */
  jid: string | null;
  lid: string | null;
  /** Still looked for: not yet left to a human. */
  open: boolean;
};

type Row = {
  campaignId: number | null;
  seq: number;
  generation: number;
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
  hasImage: boolean;
  status: number;
  doubtful: boolean;
  messages: number;
  at: Date | null;
};

const PERSON = sql`c.id as "campaignId", d.seq, d.resend_number as generation, null::bigint as "outboxId", c.account_id as "accountId",
  d.phone::text as phone, null::text as to, a.jid, a.lid, c.text, d.name, c.name_fallback as fallback, c.text_version as version,
  c.image_id is not null as "hasImage", d.status, d.ambiguous as doubtful, d.at`;

const SINGLE = sql`null::bigint as "campaignId", 0 as seq, 0 as generation, o.id as "outboxId", o.account_id as "accountId",
  o.phone::text as phone, o.jid as to, a.jid, a.lid, o.text, '' as name, '' as fallback, 0::smallint as version,
  o.image_id is not null as "hasImage", o.status, o.ambiguous as doubtful, o.at`;

/** The states of a doubt: looked for, and left to a human. */
export const DOUBTFUL = sql`(${sql.lit(DELIVERY.waiting)}, ${sql.lit(DELIVERY.uncertain)})`;
/** Attempts since then can still be found. */
export const LOOKED_FOR = sql`now() - ${LOOKED_FOR_DAYS} * interval '1 day'`;

/** Everybody in doubt on a connection: looked for, or already left to a human. */
export async function findDoubts(db: Db, connectionId: number): Promise<SentUnknown[]> {
  const { rows } = await sql<Row>`select * from (
      select ${PERSON}, 1 as messages from campaign c
        join delivery d on d.campaign_id = c.id and d.needs_attention in ${DOUBTFUL} and d.ambiguous and d.at > ${LOOKED_FOR}
        left join gateway_address a on a.account_id = c.account_id and a.phone = d.phone
      where c.connection_id = ${connectionId} and (c.waiting_count > 0 or c.uncertain_count > 0)
      union all
      select ${SINGLE}, 1 from outbox o left join gateway_address a on a.account_id = o.account_id and a.phone = o.phone
      where o.connection_id = ${connectionId} and o.ambiguous and o.status in ${DOUBTFUL} and o.at > ${LOOKED_FOR}) as doubt
    order by status, at desc limit ${MOST}`.execute(db);
  return rows.map(attemptOf);
}

/**
 * Whatever may have left for the people of these doubts without our knowing its id, the doubts themselves included: on the wire, in
 * doubt, and what a human decided while its message was unknown.
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
      select ${PERSON}, d.resend_number - known.before
          + case when known.last or not (d.ambiguous or d.status = ${DELIVERY.sending}) then 0 else 1 end as messages
      from campaign c
        join delivery d on d.campaign_id = c.id and d.phone in (select phone from person)
          and (d.ambiguous or d.status = ${DELIVERY.sending} or d.resend_number > 0)
        cross join lateral (
          -- Each former generation was sent in doubt; of the present one only doubt or the wire leaves something unknown.
          select (count(*) filter (where p.resend_number < d.resend_number))::int as before,
            count(*) filter (where p.resend_number = d.resend_number) > 0 as last
          from provider_message p where p.campaign_id = d.campaign_id and p.seq = d.seq) known
        left join gateway_address a on a.account_id = c.account_id and a.phone = d.phone
      where c.connection_id = ${connectionId} and c.claimed_at > ${LOOKED_FOR} - interval '1 day'
      union all
      select ${SINGLE}, 1 from outbox o left join gateway_address a on a.account_id = o.account_id and a.phone = o.phone
      where o.connection_id = ${connectionId} and (o.phone in (select phone from person) or o.jid = any(${names}::text[]))
        -- One that is on the wire for the first time has no time yet.
        and (o.status = ${DELIVERY.sending} or o.ambiguous and o.at > ${LOOKED_FOR} - interval '1 day')
        and not exists (select 1 from provider_message p where p.outbox_id = o.id))
    select * from unknown where messages > 0`.execute(db);
  return rows.map(attemptOf);
}

function attemptOf(row: Row): SentUnknown {
  const { campaignId, seq, generation, outboxId, accountId, phone, status, doubtful, messages } = row;
  const owner = campaignId === null ? { outboxId: outboxId ?? 0 } : { campaignId, seq, generation };
  const isDoubt = doubtful && (status === DELIVERY.waiting || status === DELIVERY.uncertain);
  const text = campaignId === null ? row.text : renderMessage(row.text, row.name, row.fallback, row.version);
  return {
    ...{ owner, accountId, phone, messages },
    jid: row.to ?? row.jid,
    lid: row.lid,
    names: [phone, row.to, row.jid, row.lid].filter((name) => name !== null),
    content: contentHash(row.hasImage ? "image" : "text", text).toString("hex"),
    window: isDoubt && row.at !== null ? windowOf(row.at.getTime()) : null,
    open: status === DELIVERY.waiting,
  };
}

function windowOf(at: number): { from: number; to: number } {
  return { from: at - SKEW_MS, to: at + HELD_MS };
}
