import { type RawBuilder, sql } from "kysely";
import type { Condition, ConditionGroup, SegmentRule } from "../../../contract/audiences.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { talksOf } from "./talks.ts";

type Sql = RawBuilder<unknown>;

/** SQL: person `p` of the account meets the rule. */
export function meets(accountId: string, rule: SegmentRule): Sql {
  const parts = rule.items.map((item) => ("items" in item ? group(accountId, item) : one(accountId, item)));
  return joined(rule.match, parts);
}

const group = (accountId: string, { match, items }: ConditionGroup) =>
  joined(
    match,
    items.map((item) => one(accountId, item)),
  );

const joined = (match: "all" | "any", parts: readonly Sql[]) =>
  sql`(${sql.join(parts, match === "all" ? sql` and ` : sql` or `)})`;

function one(accountId: string, condition: Condition): Sql {
  switch (condition.on) {
    case "field":
      return fieldMeets(accountId, condition);
    case "list":
      return not(
        condition.test === "not_in",
        sql`exists (select from membership m where m.person_id = p.id and m.list_id = ${condition.listId})`,
      );
    case "origin":
      return not(
        condition.test === "is_not",
        sql`p.origin = ${condition.origin === "before" ? "migration" : condition.origin}`,
      );
    case "created":
      return sql`p.created_at ${condition.test === "last_days" ? sql`>` : sql`<=`} ${daysAgo(condition.days)}`;
    case "reply":
      return replied(accountId, condition);
    case "campaign":
      return condition.campaignId === null
        ? lastCampaign(accountId, condition.test)
        : campaign(condition.campaignId, condition.test);
  }
}

const not = (isNot: boolean, part: Sql) => (isNot ? sql`not ${part}` : part);
const daysAgo = (days: number) => sql`now() - make_interval(days => ${days})`;

type Of<On extends Condition["on"]> = Extract<Condition, { on: On }>;

function fieldMeets(accountId: string, { key, test, value }: Of<"field">): Sql {
  const stored = sql`(p.fields -> ${key}::text)`;
  const text = key === "nome" ? sql`nullif(p.name, '')` : sql`(p.fields ->> ${key}::text)`;
  const number = sql`(case when jsonb_typeof(${stored}) = 'number' then (${text})::numeric end)`;
  const day = (from: number) =>
    sql`to_char((now() at time zone (select time_zone from account where id = ${accountId}::uuid)) + make_interval(days => ${from}), 'YYYY-MM-DD')`;
  const days = Number(value);
  switch (test) {
    case "filled":
      return sql`${text} is not null`;
    case "empty":
      return sql`${text} is null`;
    case "contains":
      return sql`strpos(lower(${text}), lower(${String(value)}::text)) > 0`;
    case "last_days":
      return sql`${text} between ${day(-days)} and ${day(0)}`;
    case "older_days":
      return sql`${text} < ${day(-days)}`;
    case "next_days":
      return sql`${text} between ${day(0)} and ${day(days)}`;
    case "at_least":
    case "at_most": {
      const than = test === "at_least" ? sql`>=` : sql`<=`;
      return typeof value === "number"
        ? sql`${number} ${than} ${value}::numeric`
        : sql`${text} ${than} ${value}::text`;
    }
    case "is":
    case "is_not": {
      const same =
        typeof value === "number"
          ? sql`${number} = ${value}::numeric`
          : sql`lower(${text}) = lower(${String(value)}::text)`;
      return test === "is" ? same : sql`coalesce(not ${same}, true)`;
    }
  }
}

function replied(accountId: string, { test, days }: Of<"reply">): Sql {
  const written = (when: Sql) => sql`exists (
    select from ${talksOf(accountId)} t where t.phone = p.phone and t.last_in_at ${when})`;
  if (test === "ever") return written(sql`is not null`);
  if (test === "never") return sql`not ${written(sql`is not null`)}`;
  return written(sql`${test === "last_days" ? sql`>` : sql`<=`} ${daysAgo(days ?? 0)}`);
}

type CampaignTest = Of<"campaign">["test"];

const STATES: Record<Exclude<CampaignTest, "not_got">, Sql> = {
  got: sql`d.status >= ${DELIVERY.accepted}`,
  delivered: sql`d.status >= ${DELIVERY.delivered}`,
  read: sql`d.status = ${DELIVERY.read}`,
  unread: sql`d.status between ${DELIVERY.accepted} and ${DELIVERY.delivered}`,
  failed: sql`d.status = ${DELIVERY.error}`,
};

/** SQL: delivery `d` brought the message, or may still. */
export const GETS_IT = sql`d.status not in (${DELIVERY.skipped}, ${DELIVERY.error})`;

/** SQL rows: ids of these campaigns and their resends. */
export const runsOf = (campaignIds: readonly number[]) => sql`
  with recursive run as (
    select id from campaign where id = any(${campaignIds}::bigint[])
    union select c.id from campaign c join run on c.resends_id = run.id) select id from run`;

function campaign(campaignId: number, test: CampaignTest): Sql {
  const among = (which: Sql) => sql`exists (
    select from delivery d where d.campaign_id = any(array(${runsOf([campaignId])})) and d.phone = p.phone and ${which})`;
  if (test === "not_got") return sql`not ${among(GETS_IT)}`;
  if (test === "failed") return sql`(${among(STATES.failed)} and not ${among(GETS_IT)})`;
  return among(STATES[test]);
}

/** Of the last campaign that handed out, or will, a message to the person. */
function lastCampaign(accountId: string, test: CampaignTest): Sql {
  const last = sql`(
    select distinct on (d.phone) d.phone, d.status
    from campaign c join delivery d on d.campaign_id = c.id
    where c.account_id = ${accountId}::uuid and c.started_at is not null and c.deleted_at is null
      and d.status <> ${DELIVERY.skipped}
    order by d.phone, c.started_at desc, c.id desc)`;
  if (test === "not_got")
    return sql`not exists (select from ${last} d where d.phone = p.phone and ${GETS_IT})`;
  return sql`exists (select from ${last} d where d.phone = p.phone and ${STATES[test]})`;
}

/** What a rule names. */
export function namedIn(rule: SegmentRule): { keys: string[]; listIds: number[]; campaignIds: number[] } {
  const all = rule.items.flatMap((item) => ("items" in item ? item.items : [item]));
  return {
    keys: all.flatMap((each) => (each.on === "field" && each.key !== "nome" ? each.key : [])),
    listIds: all.flatMap((each) => (each.on === "list" ? each.listId : [])),
    campaignIds: all.flatMap((each) => (each.on === "campaign" ? (each.campaignId ?? []) : [])),
  };
}
