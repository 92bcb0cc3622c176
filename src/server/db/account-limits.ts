import { type RawBuilder, sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import { LIMIT_NAMES, LIMITS, type LimitName, type LimitUse } from "../../domain/limits.ts";
import type { Db } from "./client.ts";
import type { Owner } from "./owner.ts";

/** SQL: how much of each limit account `a` uses. */
const USED: Readonly<Record<LimitName, RawBuilder<number>>> = {
  numbers: sql`(select count(*) from connection where account_id = a.id and kind = 'device' and desired <> 'removed')`,
  instances: sql`(select count(*) from connection where account_id = a.id and kind = 'instance' and desired <> 'removed')`,
  lists: sql`(select count(*) from contact_list where account_id = a.id)`,
  people: sql`(select coalesce(sum(contacts), 0) from contact_list where account_id = a.id)`,
  deliveries: sql`(select coalesce(sum(total), 0) from campaign where account_id = a.id and deleted_at is null)`,
  waiting_imports: sql`(select count(*) from contact_import where account_id = a.id and state in ('waiting', 'running'))`,
  waiting_campaigns: sql`(select count(*) from campaign where account_id = a.id and status in ('scheduled', 'starting'))`,
  stored_bytes: sql`(select coalesce(sum(octet_length(bytes)), 0) from image where account_id = a.id)`,
  letters_an_hour: sql`(select count(*) from mail where account_id = a.id and not urgent and sent_at > now() - interval '1 hour')`,
  agent_calls_a_day: sql`(select coalesce(sum(calls), 0) from agent_calls
    where account_id = a.id and day = (now() at time zone a.time_zone)::date)`,
  operator_agents: sql`(select count(*) from operator_agent where account_id = a.id)`,
  operator_instances: sql`(select count(*) from instance i join connection c on c.id = i.connection_id
    join gateway g on g.id = i.gateway_id
    where c.account_id = a.id and c.desired <> 'removed' and g.account_id is null)`,
};

/** Longer than any gateway or Mistral call. */
const LONGEST_RESERVATION_S = 600;

/** SQL: account `a`'s limit; null: unlimited. */
export const mostOf = (name: LimitName) => sql<number | null>`(select most from (
  select l.value as most, case when l.account_id is null then 2 else 1 end as place from account_limit l
    where l.name = ${name} and (l.account_id = a.id or l.account_id is null)
  union all select ${LIMITS[name]}::bigint, 3) as chosen order by place limit 1)`;

/** Includes reserved places. */
async function read(owner: Owner, names: readonly LimitName[]): Promise<LimitUse[]> {
  const used = names.map((name) => sql`select ${name}::text as name, ${USED[name]}::bigint as used`);
  const { rows } = await sql<{ name: LimitName; used: number; chosen: boolean; value: number | null }>`
    select u.name, u.used + (select count(*) from limit_reservation r
        where r.account_id = a.id and r.name = u.name and r.until > now())::bigint as used,
      chosen.name is not null as chosen, chosen.value
    from account a cross join lateral (${sql.join(used, sql` union all `)}) as u
    left join lateral (
      select name, value from account_limit l where l.name = u.name and (l.account_id = a.id or l.account_id is null)
      order by l.account_id nulls last limit 1) as chosen on true
    where a.id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows.map(({ name, used, chosen, value }) => ({ name, used, most: chosen ? value : LIMITS[name] }));
}

export async function readLimit(owner: Owner, name: LimitName): Promise<LimitUse> {
  const [limit] = await read(owner, [name]);
  if (!limit) throw new AppError("not_found");
  return limit;
}

export const readLimits = (owner: Owner): Promise<LimitUse[]> => read(owner, LIMIT_NAMES);

export const limitReached = ({ name, most, used }: LimitUse) =>
  new AppError("limit_reached", { limit: name, most, used });

/**
 * Throws `limit_reached` (`limit`, `most`, `used`). In the adding transaction: others wait until its commit,
 * so two together never pass the limit. Existing excess stays.
 */
export async function requireRoom(inside: Owner, name: LimitName, adding = 1): Promise<void> {
  if (!inside.db.isTransaction) throw new Error("a limit is checked in the transaction that adds");
  // A separate statement: the count must see the previous commit.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`limit ${name} ${inside.accountId}`}, 0))`.execute(
    inside.db,
  );
  await refuseFull(inside, name, adding);
}

/** Early check without the lock, before work that `requireRoom` would reject. */
export async function refuseFull(owner: Owner, name: LimitName, adding = 1): Promise<void> {
  const limit = await readLimit(owner, name);
  if (limit.most !== null && limit.used + adding > limit.most) throw limitReached(limit);
}

/** In the storing transaction, or the place counts twice. */
export type FillPlace = (tx: Db) => Promise<void>;

/** The place is reserved while another server creates something. */
export async function withRoom<T>(
  owner: Owner,
  names: readonly LimitName[],
  work: (fill: FillPlace) => Promise<T>,
): Promise<T> {
  const ids = await owner.db.transaction().execute((tx) => reserve(owner.in(tx), names));
  const fill = async (db: Db) => {
    await sql`delete from limit_reservation where id = any(${ids}) and account_id = ${owner.accountId}::uuid`.execute(
      db,
    );
  };
  try {
    return await work(fill);
  } finally {
    await fill(owner.db);
  }
}

async function reserve(inside: Owner, names: readonly LimitName[]): Promise<number[]> {
  const ids: number[] = [];
  await sql`delete from limit_reservation where account_id = ${inside.accountId}::uuid and until < now()`.execute(
    inside.db,
  );
  for (const name of names) {
    await requireRoom(inside, name);
    const { rows } = await sql<{ id: number }>`insert into limit_reservation (account_id, name, until)
      values (${inside.accountId}::uuid, ${name}, now() + ${LONGEST_RESERVATION_S} * interval '1 second') returning id`.execute(
      inside.db,
    );
    if (rows[0]) ids.push(rows[0].id);
  }
  return ids;
}

/** `accountId` null: for all accounts; `value` null: unlimited. */
export async function setLimit(
  db: Db,
  accountId: string | null,
  name: LimitName,
  value: number | null,
): Promise<void> {
  await sql`insert into account_limit (account_id, name, value) values (${accountId}::uuid, ${name}, ${value})
    on conflict (account_id, name) do update set value = excluded.value`.execute(db);
}

/** Returns to the general limit or the product default. */
export async function unsetLimit(db: Db, accountId: string | null, name: LimitName): Promise<void> {
  await sql`delete from account_limit where account_id is not distinct from ${accountId}::uuid and name = ${name}`.execute(
    db,
  );
}
