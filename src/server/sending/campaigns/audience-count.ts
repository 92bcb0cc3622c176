import { type RawBuilder, sql } from "kysely";
import {
  type AudienceCount,
  type AudienceLine,
  FIRST_PEOPLE,
  NAMES_OF_A_LINE,
} from "../../../contract/audiences.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Owner } from "../../db/owner.ts";
import { connectionOf } from "./audience.ts";
import {
  type AskedAudience,
  audiencePeople,
  isLandLine,
  LINE,
  type ReadAudience,
  readAudience,
} from "./audience-people.ts";
import { type CampaignPlanUse, findNumberUse, warmPhones } from "./plan-use.ts";
import { meets } from "./segment-rule.ts";
import { countMeeting } from "./segments.ts";

async function servingOf({ db, accountId }: Owner, { connectionId }: AskedAudience) {
  const serving = await connectionOf(db, { accountId, connectionId });
  if (serving === null && connectionId !== null) throw new AppError("not_found", { field: "connectionId" });
  return serving;
}

/** Texts without fallbacks, which would hide who lacks a value. Throws `not_found` with `field` of what is gone. */
async function read(owner: Owner, question: AskedAudience): Promise<ReadAudience> {
  const variables = question.variables.map((variable) => ({ ...variable, fallback: null }));
  const serving = await servingOf(owner, question);
  const audience = await readAudience(owner, { ...question, variables, connectionId: serving?.id ?? null });
  if ("gone" in audience) throw new AppError("not_found", { field: audience.gone });
  return audience;
}

/** SQL rows of `audiencePeople`; `line` counts people who lack a needed value or have opted out, too. */
function judged(audience: ReadAudience, { variables }: AskedAudience): RawBuilder<unknown> {
  const needed = variables.flatMap(({ key, fallback }) => (fallback === null ? [key] : []));
  const lacks = sql`case when not jsonb_exists_all(a.vars, ${needed}::text[]) then ${LINE.missing}::int end`;
  const lines = [
    sql`a.line`,
    ...(needed.length === 0 ? [] : [lacks]),
    sql`case when o.phone is not null then ${LINE.optedOut}::int end`,
  ];
  return sql`select a.id, a.phone, a.name, a.place, a.places, a.vars, coalesce(${sql.join(lines)}) as line
    from (${audiencePeople(audience)}) a
      left join opt_out o on o.account_id = ${audience.accountId}::uuid and o.phone = a.phone`;
}

export const askedPeople = async (owner: Owner, question: AskedAudience) =>
  judged(await read(owner, question), question);

type Group = {
  line: number | null;
  people: number;
  further: number;
  landLines: number;
  lacking: Record<string, number>;
};

export async function countAudience(owner: Owner, question: AskedAudience): Promise<AudienceCount> {
  const audience = await read(owner, question);
  const keys = question.variables.map(({ key }) => key);
  const lacking = keys.map(
    (key) => sql`${key}::text, count(*) filter (where not jsonb_exists(vars, ${key}::text))`,
  );
  const people = judged(audience, question);
  const { rows: groups } = await sql<Group>`select line, count(*)::float8 as people,
      sum(places - 1)::float8 as further, (count(*) filter (where ${isLandLine(sql.ref("phone"))}))::float8 as "landLines",
      jsonb_build_object(${sql.join(lacking)}) as lacking
    from (${people}) judged group by line`.execute(owner.db);
  const { rows: items } = await sql<AudienceCount["items"][number]>`
    select phone::text as phone, name, coalesce(vars, '{}') as texts from (${people}) judged
    where line is null order by place limit ${FIRST_PEOPLE}`.execute(owner.db);
  const numbers = new Map(groups.map(({ line, people: n }) => [line, n]));
  return {
    sources: await sourceLines(owner, audience),
    twice: groups.reduce((sum, { further }) => sum + further, 0),
    without: await withoutLines(owner, audience, numbers),
    gets: numbers.get(null) ?? 0,
    landLines: groups.find(({ line }) => line === null)?.landLines ?? 0,
    missing: missingOf(groups, keys),
    items,
  };
}

/** Of those who get it: `cold` are new conversations of the connection. */
async function countCold(
  owner: Owner,
  question: AskedAudience,
  connectionId: number,
): Promise<{ all: number; cold: number }> {
  const people = await askedPeople(owner, question);
  const { rows } = await sql<{ all: number; cold: number }>`with ${warmPhones(connectionId, owner.accountId)}
    select count(*)::float8 as all, count(*) filter (where not exists (select from warm where warm.phone = j.phone))::float8 as cold
    from (${people}) j where j.line is null`.execute(owner.db);
  return rows[0] ?? { all: 0, cold: 0 };
}

/** Null: the number has no plan, or no connection serves. Throws `not_found` for another's connection. */
export async function plannedAudience(
  owner: Owner,
  question: AskedAudience,
): Promise<CampaignPlanUse | null> {
  const connection = await servingOf(owner, question);
  const number = connection && (await findNumberUse(owner, connection.id));
  return number && { ...number, own: await countCold(owner, question, connection.id) };
}

/** Of those who get it or are left out for a missing value alone. */
function missingOf(groups: readonly Group[], keys: readonly string[]): Record<string, number> {
  const asked = groups.filter(({ line }) => line === null || line === LINE.missing);
  const sum = (key: string) => asked.reduce((all, { lacking }) => all + (lacking[key] ?? 0), 0);
  return Object.fromEntries(keys.map((key) => [key, sum(key)]));
}

async function sourceLines(owner: Owner, { lists, segments }: ReadAudience): Promise<AudienceLine[]> {
  const named = await nameLists(owner, lists);
  const lines: AudienceLine[] = lists.map((id) => ({
    key: `list:${id}`,
    name: named.get(id)?.name ?? null,
    people: named.get(id)?.contacts ?? 0,
  }));
  for (const { id, name, rule } of segments)
    lines.push({ key: `segment:${id}`, name, people: await countMeeting(owner, rule) });
  return lines;
}

type Named = { id: number; name: string; contacts: number };

async function nameLists(
  { db, accountId }: Owner,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Named>> {
  const { rows } = await sql<Named>`select id, name, contacts::float8 as contacts from contact_list
    where account_id = ${accountId}::uuid and id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

async function nameCampaigns(
  { db, accountId }: Owner,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ id: number; name: string }>`select id, name from campaign
    where account_id = ${accountId}::uuid and id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Lines that were asked for stay at 0. */
async function withoutLines(
  owner: Owner,
  { without, perWeek }: Pick<ReadAudience, "without" | "perWeek">,
  numbers: ReadonlyMap<number | null, number>,
): Promise<AudienceLine[]> {
  const lists = await nameLists(owner, without.listIds);
  const campaigns = await nameCampaigns(owner, without.campaignIds);
  const at = (line: number) => numbers.get(line) ?? 0;
  const single = (isAsked: boolean, key: string, line: number): AudienceLine[] =>
    isAsked || at(line) > 0 ? [{ key, name: null, people: at(line) }] : [];
  return [
    ...without.listIds.map((id, nth) => ({
      key: `without-list:${id}`,
      name: lists.get(id)?.name ?? null,
      people: at(LINE.list + nth),
    })),
    ...without.campaignIds.map((id, nth) => ({
      key: `without-campaign:${id}`,
      name: campaigns.get(id) ?? null,
      people: at(LINE.campaign + nth),
    })),
    ...single(without.talkedHours !== null, "talked", LINE.talked),
    ...single(without.unanswered !== null, "unanswered", LINE.unanswered),
    ...single(perWeek !== null, "weekly", LINE.weekly),
    ...single(false, "absent", LINE.absent),
    ...single(without.landLines ?? false, "land_lines", LINE.landLine),
    ...single(false, "missing", LINE.missing),
    ...single(false, "opted_out", LINE.optedOut),
  ];
}

type Names = { people: number; items: { name: string; phone: string }[] };

/** Throws `not_found` for a line that the question does not have. */
export async function namesOfLine(owner: Owner, question: AskedAudience, key: string): Promise<Names> {
  const audience = await read(owner, question);
  const which = whichOf(audience, key);
  const { rows } = await sql<{ name: string; phone: string; people: number }>`
    select name, phone::text as phone, count(*) over ()::float8 as people
    from (${judged(audience, question)}) judged where ${which} order by place limit ${NAMES_OF_A_LINE}`.execute(
    owner.db,
  );
  return { people: rows[0]?.people ?? 0, items: rows.map(({ name, phone }) => ({ name, phone })) };
}

const SINGLE = new Map(
  Object.entries({
    talked: LINE.talked,
    unanswered: LINE.unanswered,
    weekly: LINE.weekly,
    absent: LINE.absent,
    land_lines: LINE.landLine,
    missing: LINE.missing,
    opted_out: LINE.optedOut,
  }),
);

function whichOf({ accountId, segments, without }: ReadAudience, key: string): RawBuilder<unknown> {
  if (key === "gets") return sql`line is null`;
  if (key === "twice") return sql`places > 1`;
  const single = SINGLE.get(key);
  if (single !== undefined) return sql`line = ${single}`;
  const [kind, digits] = key.split(":");
  const id = Number(digits);
  if (kind === "list")
    return sql`exists (select from membership m where m.person_id = judged.id and m.list_id = ${id})`;
  const segment = kind === "segment" ? segments.find((each) => each.id === id) : undefined;
  if (segment)
    return sql`exists (select from person p where p.id = judged.id and ${meets(accountId, segment.rule)})`;
  const nth = kind === "without-list" ? without.listIds.indexOf(id) : without.campaignIds.indexOf(id);
  if (!kind?.startsWith("without-") || nth < 0) throw new AppError("not_found", { field: "line" });
  return sql`line = ${(kind === "without-list" ? LINE.list : LINE.campaign) + nth}`;
}
