import { sql } from "kysely";
import type { SegmentRule } from "../../../contract/audiences.ts";
import { AppError } from "../../../domain/errors.ts";
import { SEGMENTS_MOST } from "../../../domain/segment.ts";
import { inTransaction, type Owner } from "../../db/owner.ts";
import { meets, namedIn } from "./segment-rule.ts";

export type StoredSegment = { id: number; name: string; rule: SegmentRule; updatedAt: Date };

const COLUMNS = sql.raw('id, name, rule, updated_at as "updatedAt"');

/** SQL rows `id`, `account_id`, `name`. */
export const SEGMENTS = sql`(select id, account_id, name from segment)`;

export async function findSegments(
  { db, accountId }: Owner,
  ids?: readonly number[],
): Promise<StoredSegment[]> {
  const those = ids === undefined ? sql`true` : sql`id = any(${ids}::bigint[])`;
  const { rows } = await sql<StoredSegment>`select ${COLUMNS} from segment
    where account_id = ${accountId}::uuid and ${those} order by lower(name), id`.execute(db);
  return rows;
}

/** Lists and campaigns of `ids` that are not, or no longer, the account's. */
export async function findGone(
  { db, accountId }: Owner,
  ids: { listIds: readonly number[]; campaignIds: readonly number[] },
): Promise<{ lists: number[]; campaigns: number[] }> {
  const { rows } = await sql<{ lists: number[]; campaigns: number[] }>`select
    array(select id from unnest(${ids.listIds}::bigint[]) id where not exists (
      select from contact_list l where l.id = id.id and l.account_id = ${accountId}::uuid)) as lists,
    array(select id from unnest(${ids.campaignIds}::bigint[]) id where not exists (
      select from campaign c where c.id = id.id and c.account_id = ${accountId}::uuid and c.deleted_at is null)) as campaigns`.execute(
    db,
  );
  return rows[0] ?? { lists: [], campaigns: [] };
}

/** Of what these rules name. */
export function findGoneIn(owner: Owner, rules: readonly SegmentRule[]): ReturnType<typeof findGone> {
  const named = rules.map(namedIn);
  return findGone(owner, {
    listIds: named.flatMap(({ listIds }) => listIds),
    campaignIds: named.flatMap(({ campaignIds }) => campaignIds),
  });
}

/** Null: another one has the name. */
export async function storeSegment(
  owner: Owner,
  { id, name, rule }: { id: number | null; name: string; rule: SegmentRule },
): Promise<StoredSegment | null> {
  return inTransaction(owner, async ({ db, accountId }) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`segments of ${accountId}`}, 0))`.execute(db);
    const { rows: known } = await sql<{ id: number; taken: boolean }>`
      select id, lower(name) = lower(${name}) as taken from segment where account_id = ${accountId}::uuid`.execute(
      db,
    );
    if (id !== null && !known.some((each) => each.id === id)) throw new AppError("not_found");
    if (known.some((each) => each.taken && each.id !== id)) return null;
    if (id === null && known.length >= SEGMENTS_MOST)
      throw new AppError("too_many_segments", { n: SEGMENTS_MOST });
    const written = JSON.stringify(rule);
    const { rows } =
      id === null
        ? await sql<StoredSegment>`insert into segment (account_id, name, rule)
            values (${accountId}::uuid, ${name}, ${written}) returning ${COLUMNS}`.execute(db)
        : await sql<StoredSegment>`update segment set name = ${name}, rule = ${written}, updated_at = now()
            where id = ${id} and account_id = ${accountId}::uuid returning ${COLUMNS}`.execute(db);
    return rows[0] ?? null;
  });
}

/** Throws `segment_in_use` (`name` of the campaign) while one that has not started uses it. */
export async function deleteSegment(owner: Owner, id: number): Promise<void> {
  await inTransaction(owner, async ({ db, accountId }) => {
    const { numAffectedRows } = await sql`delete from segment
      where id = ${id} and account_id = ${accountId}::uuid`.execute(db);
    if (Number(numAffectedRows ?? 0) === 0) throw new AppError("not_found");
    const { rows } = await sql<{ name: string }>`select name from campaign
      where account_id = ${accountId}::uuid and status in ('scheduled', 'starting', 'paused') and started_at is null
        and resends_id is null and audience -> 'segmentIds' @> ${String(id)}::jsonb order by id limit 1`.execute(
      db,
    );
    if (rows[0]) throw new AppError("segment_in_use", { name: rows[0].name });
  });
}

/** Name of a segment whose rule names the field; null: none. */
export async function segmentWithField(owner: Owner, key: string): Promise<string | null> {
  const using = (await findSegments(owner)).find(({ rule }) => namedIn(rule).keys.includes(key));
  return using?.name ?? null;
}

export async function countMeeting(owner: Owner, rule: SegmentRule): Promise<number> {
  const { db, accountId } = owner;
  const { rows } = await sql<{ people: number }>`select count(*)::float8 as people from person p
    where p.account_id = ${accountId}::uuid and ${meets(accountId, rule)}`.execute(db);
  return rows[0]?.people ?? 0;
}
