import { type RawBuilder, sql } from "kysely";
import type { Outcome, OutcomeSums } from "../../contract/campaigns.ts";
import type { AttachmentSummary } from "../../contract/files.ts";
import { type BreakerVerdict, CANARY_WAIT_MS } from "../../domain/breaker.ts";
import type { DisplayStatus } from "../../domain/campaign.ts";
import { CONFIRMED_WITHIN_MS, DELIVERY } from "../../domain/delivery.ts";
import { contactReads } from "../contacts/service.ts";
import type { Owner } from "../db/owner.ts";
import { executePrepared } from "../db/prepared.ts";
import { holdsWords } from "../db/search.ts";
import { fileReads } from "../files/service.ts";
import { type CampaignPlanUse, sqlParts } from "../sending/sending.ts";
import { CONTENT, type Content } from "./columns.ts";

const {
  connectionId: GOES_THROUGH,
  connected: CONNECTED,
  daySums,
  latestPace,
  planUse,
  furtherParts: FURTHER_PARTS,
} = sqlParts();

export type CampaignRow = Content & {
  id: number;
  attachment: AttachmentSummary | null;
  moreAttachments: AttachmentSummary[];
  connectionName: string | null;
  connected: boolean | null;
  connectionCause: string | null;
  connectionCauseUntil: Date | null;
  connectionSince: Date | null;
  listName: string | null;
  listContacts: number | null;
  cause: string | null;
  breaker: Omit<BreakerVerdict, "failure"> | null;
  canaryUntil: Date | null;
  late: boolean;
  resendsId: number | null;
  total: number;
  pending: number;
  sending: number;
  waiting: number;
  skipped: number;
  uncertain: number;
  error: number;
  accepted: number;
  sent: number;
  delivered: number;
  read: number;
  createdAt: Date;
  updatedAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  archivedAt: Date | null;
  lastSentAt: Date | null;
  /** Other campaigns sending over this connection; null if none, or while not sending. */
  others: [intervalS: number, extraS: number, remaining: number][] | null;
  /** Seconds between messages on the latest day; null without two messages, or while not sending. */
  seenS: number | null;
  /** Once none is left to hand out: people in doubt or accepted, and their deadline. */
  awaited: number;
  /** While sending over a number with a plan. */
  planned: CampaignPlanUse | null;
  awaitedUntil: Date | null;
};

const COLUMNS = sql`c.id, ${CONTENT}, ${fileReads.summaryOf(sql`c.account_id`, sql`c.attachment_id`)} as attachment,
  case when c.parts = 1 then '[]'::json else to_json(array(
    select ${fileReads.summaryOf(sql`c.account_id`, sql`further.attachment_id`)} from ${FURTHER_PARTS} further
      where further.campaign_id = c.id order by further.part)) end as "moreAttachments",
  coalesce(case when k.id = c.connection_id then k.name end, c.connection_name) as "connectionName", ${CONNECTED} as connected,
  k.state_reason as "connectionCause", k.state_reason_until as "connectionCauseUntil", k.state_since as "connectionSince",
  case when c.started_at is null and c.audience is null then coalesce(l.name, c.list_name) else c.list_name end as "listName",
  l.contacts as "listContacts", c.pause_reason as cause, c.breaker,
  case when c.status = 'sending' and c.cursor >= c.claims_to
    then coalesce(c.last_sent_at, c.claimed_at) + ${CANARY_WAIT_MS} * interval '1 millisecond' end as "canaryUntil", c.late, c.resends_id as "resendsId", c.total,
  c.pending_count as pending, c.sending_count as sending, c.waiting_count as waiting, c.skipped_count as skipped, c.uncertain_count as uncertain,
  c.error_count as error, c.accepted_count as accepted, c.sent_count as sent, c.delivered_count as delivered, c.read_count as read,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.started_at as "startedAt", c.ended_at as "endedAt",
  c.archived_at as "archivedAt", c.last_sent_at as "lastSentAt",
  planned.use as planned, pace.others, seen.s as "seenS", coalesce(word.people, 0) as awaited, word.until as "awaitedUntil"`;

/** A campaign starting over Conexão padrão waits if the default one cannot send. */
const FROM = sql`from campaign c
  left join connection k on k.id = ${GOES_THROUGH}
  left join ${contactReads.LISTS} l on l.id = c.list_id`;

/**
 * Only for active campaigns, two index look-ups. Repeated inside, because PostgreSQL checks `on` after the
 * look-up.
 */
const PACE = sql`left join lateral ${planUse} planned on c.status = 'sending'
  left join lateral (
    select array_agg(array[o.interval_seconds, o.jitter_seconds, o.pending_count + o.sending_count + o.waiting_count]) as others
    from campaign o
    where c.status = 'sending' and o.connection_id = c.connection_id and o.status = 'sending' and o.id <> c.id
      and o.pending_count + o.sending_count + o.waiting_count > 0) pace on c.status = 'sending'
  left join lateral (
    ${latestPace(sql`c.status = 'sending' and campaign_id = c.id`)}) seen on true
  left join lateral (
    select count(*)::int as people, max(case when d.needs_attention = ${sql.lit(DELIVERY.waiting)} then d.not_before
      else d.at + ${CONFIRMED_WITHIN_MS} * interval '1 millisecond' end) as until
    from delivery d
    where c.status = 'sending' and c.pending_count = 0 and c.sending_count = 0 and c.waiting_count + c.accepted_count > 0 and d.campaign_id = c.id
      and (d.needs_attention = ${sql.lit(DELIVERY.accepted)} or d.needs_attention = ${sql.lit(DELIVERY.waiting)} and d.ambiguous)) word
    on c.status = 'sending'`;

/**
 * `campaignStatus` (domain/campaign.ts) in SQL; a test compares both. Joining connections of inactive
 * campaigns too makes sums a quarter slower.
 */
const STATUS = sql`case
  when c.status = 'ended' then case
    when c.error_count = 0 and c.uncertain_count = 0 and c.accepted_count = 0 then 'completed'
    when c.sent_count + c.delivered_count + c.read_count = 0 and c.uncertain_count = 0 and c.accepted_count = 0 then 'failed'
    else 'partially_completed' end
  when c.status in ('starting', 'sending') then
    case when (select ${CONNECTED} from connection k where k.id = ${GOES_THROUGH}) is false then 'paused' else 'sending' end
  else c.status end`;

const owned = (owner: Owner) => sql`c.account_id = ${owner.accountId}::uuid and c.deleted_at is null`;

/** Without archived ones. */
export async function countByStatus(owner: Owner): Promise<{ status: DisplayStatus; n: number }[]> {
  return executePrepared(
    sql<{ status: DisplayStatus; n: number }>`select ${STATUS} as status, count(*)::int as n from campaign c
      where ${owned(owner)} and c.archived_at is null group by 1`,
    owner.db,
  );
}

export async function countPutAway(owner: Owner): Promise<{ archived: number; deleted: number }> {
  const rows = await executePrepared(
    sql<{ archived: number; deleted: number }>`select
        count(*) filter (where deleted_at is null and archived_at is not null)::int as archived,
        count(deleted_at)::int as deleted
      from campaign where account_id = ${owner.accountId}::uuid`,
    owner.db,
  );
  return rows[0] ?? { archived: 0, deleted: 0 };
}

export type CampaignFilter = {
  search?: string | undefined;
  status?: DisplayStatus | undefined;
  campaign?: number | undefined;
  /** Otherwise archived ones are left out. */
  archived?: boolean | undefined;
  from?: string | undefined;
  to?: string | undefined;
  outcome?: Outcome | undefined;
  list?: number | undefined;
  after?: number | undefined;
  limit: number;
};

const WHOLE = {
  accepted: sql`c.sent_count + c.delivered_count + c.read_count`,
  confirmed: sql`c.delivered_count + c.read_count`,
  read: sql`c.read_count`,
  errors: sql`c.error_count`,
  uncertain: sql`c.uncertain_count`,
  attempts: sql`c.sent_count + c.delivered_count + c.read_count + c.error_count + c.uncertain_count`,
} satisfies Record<Outcome, unknown>;

/** Day counters (`p`), as in the dashboard chart. */
const OF_PERIOD = {
  accepted: sql`p.accepted`,
  confirmed: sql`p.confirmed`,
  read: sql`p.read`,
  errors: sql`p.errors`,
  uncertain: sql`p.uncertain`,
  attempts: sql`p.accepted + p.errors + p.uncertain`,
} satisfies Record<Outcome, unknown>;

const hasPeriod = ({ from, to }: CampaignFilter) => from !== undefined || to !== undefined;

const inDays = ({ from, to }: CampaignFilter) =>
  sql`day between ${from ?? "-infinity"}::date and ${to ?? "infinity"}::date`;

/** A page reads no further than it needs. */
const period = (filter: CampaignFilter) => sql`left join lateral (
    ${daySums(sql`campaign_id = c.id and ${inDays(filter)}`)}) p on true`;

/** All at once: half the work. Omits campaigns without outcomes, like `inSums`. */
function wholePeriod(owner: Owner, filter: CampaignFilter): RawBuilder<unknown> {
  const campaigns = sql`array(select c.id from campaign c where ${all(ofCampaign(owner, filter))})`;
  return sql`(${daySums(sql`campaign_id = any(${campaigns}) and ${inDays(filter)}`)} group by campaign_id) p`;
}

const all = (conditions: RawBuilder<unknown>[]) => sql.join(conditions, sql` and `);

/** Shared by list and sums, so both agree. */
const wanted = (owner: Owner, filter: CampaignFilter) => [...ofCampaign(owner, filter), ...inSums(filter)];

function ofCampaign(owner: Owner, filter: CampaignFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [owned(owner)];
  const words = filter.search?.trim();
  if (words) {
    conditions.push(sql`(${holdsWords("c.name", words)} or ${holdsWords("c.text", words)})`);
  }
  if (filter.status) conditions.push(sql`${STATUS} = ${filter.status}`);
  if (filter.campaign !== undefined) conditions.push(sql`c.id = ${filter.campaign}`);
  else conditions.push(filter.archived ? sql`c.archived_at is not null` : sql`c.archived_at is null`);
  if (filter.list !== undefined)
    conditions.push(
      sql`(c.list_id = ${filter.list} or c.audience -> 'listIds' @> ${String(filter.list)}::jsonb)`,
    );
  return conditions;
}

function inSums(filter: CampaignFilter): RawBuilder<unknown>[] {
  const sums = hasPeriod(filter) ? OF_PERIOD : WHOLE;
  if (filter.outcome) return [sql`${sums[filter.outcome]} <> 0`];
  return hasPeriod(filter)
    ? [sql`(p.accepted, p.errors, p.uncertain, p.confirmed, p.read) <> (0, 0, 0, 0, 0)`]
    : [];
}

export type ListedRow = CampaignRow & { inPeriod: OutcomeSums | null };

/**
 * A parameter as limit is planned each time, as a tenth of all rows; any literal makes too many statements.
 * So it reads one of these and cuts.
 */
const LIMITS = [6, 25, 101];

export async function findCampaigns(owner: Owner, filter: CampaignFilter): Promise<ListedRow[]> {
  const { after, limit } = filter;
  const conditions = wanted(owner, filter);
  if (after !== undefined) conditions.push(sql`c.id < ${after}`);
  const end = sql.lit(LIMITS.find((one) => one >= limit) ?? limit);
  const where = sql`where ${all(conditions)} order by c.id desc limit ${end}`;
  const rows = await findListed(owner, filter, where);
  return rows.slice(0, limit);
}

async function findListed(
  owner: Owner,
  filter: CampaignFilter,
  where: RawBuilder<unknown>,
): Promise<ListedRow[]> {
  if (!hasPeriod(filter)) {
    const rows = await executePrepared(selected(where), owner.db);
    return rows.map((row) => ({ ...row, inPeriod: null }));
  }
  // A JSON object per row makes the page a fifth slower.
  const inPeriod = sql<
    CampaignRow & { sums: number[] }
  >`select ${COLUMNS}, array[${sql.join(Object.values(OF_PERIOD))}] as sums
    ${FROM} ${PACE} ${period(filter)} ${where}`;
  const rows = await executePrepared(inPeriod, owner.db);
  return rows.map(({ sums, ...row }) => ({ ...row, inPeriod: readSums(sums) }));
}

function readSums(sums: readonly number[]): OutcomeSums {
  const names = Object.keys(OF_PERIOD);
  return Object.fromEntries(names.map((name, at) => [name, sums[at] ?? 0])) as OutcomeSums;
}

export async function sumFound(
  owner: Owner,
  filter: CampaignFilter,
): Promise<OutcomeSums & { campaigns: number }> {
  const sums = hasPeriod(filter) ? OF_PERIOD : WHOLE;
  const sum = (of: Outcome) => sql`coalesce(sum(${sums[of]}), 0)::float8`;
  const query = sql<OutcomeSums & { campaigns: number }>`select count(*)::int as campaigns,
      ${sum("attempts")} as attempts, ${sum("accepted")} as accepted, ${sum("confirmed")} as confirmed, ${sum("read")} as read,
      ${sum("errors")} as errors, ${sum("uncertain")} as uncertain
    ${hasPeriod(filter) ? sql`from ${wholePeriod(owner, filter)} where ${all(inSums(filter))}` : sql`from campaign c where ${all(wanted(owner, filter))}`}`;
  const rows = await executePrepared(query, owner.db);
  return (
    rows[0] ?? { campaigns: 0, attempts: 0, accepted: 0, confirmed: 0, read: 0, errors: 0, uncertain: 0 }
  );
}

export async function findNamedCampaigns(
  owner: Owner,
  words: string,
  limit: number,
): Promise<{ id: number; name: string; status: DisplayStatus }[]> {
  const { rows } = await sql<{ id: number; name: string; status: DisplayStatus }>`
    select c.id, c.name, ${STATUS} as status from campaign c
    where ${owned(owner)} and ${holdsWords("c.name", words)} order by c.id desc limit ${limit}`.execute(
    owner.db,
  );
  return rows;
}

/** Newest first, without archived ones; `limit` null: all. */
export async function findNewestNames(
  owner: Owner,
  limit: number | null,
): Promise<{ id: number; name: string }[]> {
  const rows = await executePrepared(
    sql<{ id: number; name: string }>`select id, name from campaign
    where account_id = ${owner.accountId}::uuid and archived_at is null and deleted_at is null order by id desc limit ${limit}::int`,
    owner.db,
  );
  return rows;
}

export async function findSending(owner: Owner): Promise<CampaignRow[]> {
  return select(owner, sql`where ${owned(owner)} and c.status = 'sending' order by c.id desc limit 200`);
}

export async function findUnfinished(owner: Owner, limit: number): Promise<CampaignRow[]> {
  return select(
    owner,
    sql`where ${owned(owner)} and c.status in ('sending', 'starting', 'paused', 'scheduled')
      order by coalesce(c.started_at, c.scheduled_at, c.created_at), c.id limit ${sql.lit(limit)}`,
  );
}

export async function findOver(owner: Owner, from: Date, to: Date, limit: number): Promise<CampaignRow[]> {
  return select(
    owner,
    sql`where ${owned(owner)} and c.status in ('ended', 'cancelled') and c.started_at < ${to}
      and coalesce(c.last_sent_at, c.started_at) >= ${from} order by c.id desc limit ${sql.lit(limit)}`,
  );
}

export async function findCampaign(owner: Owner, campaignId: number): Promise<CampaignRow | undefined> {
  const [row] = await select(owner, sql`where ${owned(owner)} and c.id = ${campaignId}`);
  return row;
}

async function select(owner: Owner, where: RawBuilder<unknown>): Promise<CampaignRow[]> {
  return executePrepared(selected(where), owner.db);
}

const selected = (where: RawBuilder<unknown>) => sql<CampaignRow>`select ${COLUMNS} ${FROM} ${PACE} ${where}`;

export type Failure = { phone: string; error: string | null };
export type FailureRow = { campaignId: number; failures: Failure[] };

/** By the attention index. One row per campaign: a row per person (500) costs a third more. */
export async function findFirstFailures(
  owner: Owner,
  campaignIds: number[],
  each: number,
): Promise<FailureRow[]> {
  if (campaignIds.length === 0) return [];
  const rows = await executePrepared(
    sql<{ campaignId: number; found: string[] }>`select c.id as "campaignId", array(
        select concat_ws(' ', phone, error) from delivery
        where campaign_id = c.id and needs_attention = ${DELIVERY.error} order by seq limit ${sql.lit(each)}) as found
      from campaign c where ${owned(owner)} and c.id = any(${campaignIds}::bigint[])`,
    owner.db,
  );
  return rows.map(({ campaignId, found }) => ({ campaignId, failures: found.map(readFailure) }));
}

/** `5511987654321 not_on_whatsapp`, or only the phone. */
function readFailure(found: string): Failure {
  const end = found.indexOf(" ");
  const phone = end < 0 ? found : found.slice(0, end);
  return { phone: phone.startsWith("-") ? "" : phone, error: end < 0 ? null : found.slice(end + 1) };
}
