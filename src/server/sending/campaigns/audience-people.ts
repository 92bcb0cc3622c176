import { type RawBuilder, sql } from "kysely";
import { type Audience, EVERYONE, type LeftOutReason } from "../../../domain/audience.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { TypedVariable } from "../../../domain/variables.ts";
import { readWeeklyLimit } from "../../db/account.ts";
import type { Owner } from "../../db/owner.ts";
import { absentPhones } from "../addresses/addresses.ts";
import { GETS_IT, meets } from "./segment-rule.ts";
import { findGone, findGoneIn, findSegments, type StoredSegment } from "./segments.ts";
import { talkedSince, talksOf } from "./talks.ts";
import { frozenValues } from "./values.ts";

type Sql = RawBuilder<unknown>;

export type AskedAudience = {
  listId: number | null;
  audience: Audience | null;
  variables: readonly TypedVariable[];
  /** Null: none serves yet, so no look-up counts. */
  connectionId: number | null;
};

/** With all that it names read. */
export type ReadAudience = {
  accountId: string;
  lists: readonly number[];
  segments: readonly StoredSegment[];
  without: Audience["without"];
  variables: readonly TypedVariable[];
  /** Campaigns a person may get in seven days. */
  perWeek: number | null;
  connectionId: number | null;
};

/** `field` of what is gone. */
type Gone = { gone: string };

export async function readAudience(
  owner: Owner,
  { listId, audience, variables, connectionId }: AskedAudience,
): Promise<ReadAudience | Gone> {
  const { listIds, segmentIds, without } = audience ?? EVERYONE;
  const lists = listId === null ? listIds : [listId, ...listIds.filter((id) => id !== listId)];
  const sources = await findGone(owner, { listIds: lists, campaignIds: [] });
  if (sources.lists.length > 0) return { gone: sources.lists[0] === listId ? "listId" : "audience.listIds" };
  const left = await findGone(owner, without);
  if (left.lists.length > 0) return { gone: "audience.without.listIds" };
  if (left.campaigns.length > 0) return { gone: "audience.without.campaignIds" };
  const found = segmentIds.length === 0 ? [] : await findSegments(owner, segmentIds);
  const segments = segmentIds.flatMap((id) => found.find((each) => each.id === id) ?? []);
  if (segments.length < segmentIds.length) return { gone: "audience.segmentIds" };
  const inRules = await findGoneIn(
    owner,
    segments.map(({ rule }) => rule),
  );
  if (inRules.lists.length + inRules.campaigns.length > 0) return { gone: "audience.segmentIds" };
  const { accountId } = owner;
  const perWeek = await readWeeklyLimit(owner);
  return { accountId, lists, segments, without, variables, perWeek, connectionId };
}

export async function findMissing(owner: Owner, asked: AskedAudience): Promise<string | null> {
  const audience = await readAudience(owner, asked);
  return "gone" in audience ? audience.gone : null;
}

/** More than the ids of a list's or an account's people. */
const NEXT_SOURCE = 2 ** 40;

/** SQL rows `person_id`, `place`, `places` (in how many of the lists and segments). */
function sourcesOf({ accountId, lists, segments }: ReadAudience): Sql {
  const [only] = lists;
  if (lists.length === 1 && segments.length === 0)
    return sql`select m.person_id, m.seq as place, 1 as places from membership m where m.list_id = ${only}`;
  const parts = [
    sql`select m.person_id, k.nth * ${NEXT_SOURCE}::bigint + m.seq as place
      from unnest(${lists}::bigint[]) with ordinality k(list_id, nth) join membership m using (list_id)`,
    ...segments.map(
      ({ rule }, nth) => sql`select p.id, ${lists.length + nth + 1}::bigint * ${NEXT_SOURCE}::bigint + p.id
        from person p where p.account_id = ${accountId}::uuid and ${meets(accountId, rule)}`,
    ),
  ];
  return sql`select person_id, min(place) as place, count(*)::int as places
    from (${sql.join(parts, sql` union all `)}) s group by person_id`;
}

/** Lines of who is left out, by the number that `line` has in SQL: lists, then campaigns, then the others. */
export const LINE = {
  list: 0,
  campaign: 100,
  talked: 200,
  unanswered: 201,
  weekly: 202,
  absent: 203,
  landLine: 204,
  missing: 205,
  optedOut: 206,
};

type Left = { join: Sql; line: Sql };

function leftByList({ without: { listIds } }: ReadAudience): Left | null {
  if (listIds.length === 0) return null;
  return {
    join: sql`left join (select m.person_id, min(k.nth) - 1 as nth
      from unnest(${listIds}::bigint[]) with ordinality k(list_id, nth) join membership m using (list_id)
      group by m.person_id) el on el.person_id = p.id`,
    line: sql`el.nth + ${LINE.list}`,
  };
}

/** Resends count as the campaign. */
function leftByCampaign({ without: { campaignIds } }: ReadAudience): Left | null {
  if (campaignIds.length === 0) return null;
  return {
    join: sql`left join (
      with recursive run as (
        select id, nth from unnest(${campaignIds}::bigint[]) with ordinality k(id, nth)
        union select c.id, run.nth from campaign c join run on c.resends_id = run.id)
      select d.phone, min(run.nth) - 1 as nth from run join delivery d on d.campaign_id = run.id
      where ${GETS_IT} group by d.phone) ec on ec.phone = p.phone`,
    line: sql`ec.nth + ${LINE.campaign}`,
  };
}

function leftByTalk({ accountId, without: { talkedHours } }: ReadAudience): Left | null {
  if (talkedHours === null) return null;
  return {
    join: sql`left join (${talkedSince(accountId, talkedHours)}) et on et.phone = p.phone`,
    line: sql`case when et.phone is not null then ${LINE.talked}::int end`,
  };
}

function leftBySilence({ accountId, without: { unanswered } }: ReadAudience): Left | null {
  if (unanswered === null) return null;
  return {
    join: sql`left join (
      select d.phone from campaign c join delivery d on d.campaign_id = c.id
        left join ${talksOf(accountId)} t on t.phone = d.phone
      where c.account_id = ${accountId}::uuid and c.deleted_at is null and d.status >= ${DELIVERY.accepted}
        and (t.last_in_at is null or d.at > t.last_in_at)
      group by d.phone having count(*) >= ${unanswered}) eu on eu.phone = p.phone`,
    line: sql`case when eu.phone is not null then ${LINE.unanswered}::int end`,
  };
}

/** Places that wait in running campaigns count, or two that start together would reach a person twice. */
function leftByWeek({ accountId, perWeek }: ReadAudience): Left | null {
  if (perWeek === null) return null;
  return {
    join: sql`left join (
      select d.phone from campaign c join delivery d on d.campaign_id = c.id
      where c.account_id = ${accountId}::uuid and c.deleted_at is null
        and (c.status in ('sending', 'paused') or c.last_sent_at > now() - interval '7 days')
        and ${GETS_IT} and (d.at > now() - interval '7 days' or d.status < ${DELIVERY.skipped})
      group by d.phone having count(*) >= ${perWeek}) ew on ew.phone = p.phone`,
    line: sql`case when ew.phone is not null then ${LINE.weekly}::int end`,
  };
}

function leftByAbsence({ accountId, connectionId }: ReadAudience): Left | null {
  if (connectionId === null) return null;
  return {
    join: sql`left join (${absentPhones({ accountId, connectionId })}) ea on ea.phone = p.phone`,
    line: sql`case when ea.phone is not null then ${LINE.absent}::int end`,
  };
}

/** SQL: `phone` (bigint) is a Brazilian land line: 55, area code, eight digits from 2 to 5. */
export const isLandLine = (phone: Sql) =>
  sql`(${phone} between 551000000000 and 559999999999 and (${phone} / 10000000) % 10 between 2 and 5)`;

function leftByLandLine({ without: { landLines = false } }: ReadAudience): Left | null {
  if (!landLines) return null;
  return {
    join: sql``,
    line: sql`case when ${isLandLine(sql.ref("p.phone"))} then ${LINE.landLine}::int end`,
  };
}

const PARTS = [
  leftByList,
  leftByCampaign,
  leftByTalk,
  leftBySilence,
  leftByWeek,
  leftByAbsence,
  leftByLandLine,
];

/** SQL rows `id`, `phone`, `name`, `place`, `places`, `vars`, `line` (null: not left out by the audience). */
export function audiencePeople(audience: ReadAudience): Sql {
  const left = PARTS.flatMap((part) => part(audience) ?? []);
  const line =
    left.length === 0 ? sql`null::int` : sql`coalesce(${sql.join(left.map((each) => each.line))})::int`;
  // `is true` keeps the account's index out of the plan: of an account newer than the statistics the planner
  // expects one person, and would compare each of them with the whole list.
  return sql`select p.id, p.phone, p.name, s.place, s.places, ${frozenValues(audience.variables)} as vars, ${line} as line
    from (${sourcesOf(audience)}) s join person p on p.id = s.person_id
      ${sql.join(
        left.map(({ join }) => join),
        sql` `,
      )}
    where (p.account_id = ${audience.accountId}::uuid) is true`;
}

const REASONS: readonly [number, LeftOutReason][] = [
  [LINE.campaign, "excluded_list"],
  [LINE.talked, "got_campaign"],
  [LINE.unanswered, "in_conversation"],
  [LINE.weekly, "never_answers"],
  [LINE.absent, "weekly_limit"],
  [LINE.landLine, "known_absent"],
  [LINE.missing, "land_line"],
];

/** SQL: code of `line`; null for null. */
export const REASON_OF_LINE = sql`case ${sql.join(
  REASONS.map(([below, reason]) => sql`when line < ${below} then ${reason}::text`),
  sql` `,
)} end`;
