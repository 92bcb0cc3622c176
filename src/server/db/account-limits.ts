import { type RawBuilder, sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import { LIMITS, type LimitName, type LimitUse } from "../../domain/limits.ts";
import type { Db } from "./client.ts";
import type { Owner } from "./owner.ts";

/** `used`: SQL of how much account `a` uses. */
export type Limit<Name extends LimitName = LimitName> = { name: Name; used: RawBuilder<unknown> };

export const limitOn = <Name extends LimitName>(name: Name, used: RawBuilder<unknown>): Limit<Name> => ({
  name,
  used,
});

/** Longer than any gateway or Mistral call. */
const LONGEST_RESERVATION_S = 600;

/** SQL: account `a`'s limit; null: unlimited. */
export const mostOf = (name: LimitName) => sql<number | null>`(select most from (
  select l.value as most, case when l.account_id is null then 2 else 1 end as place from account_limit l
    where l.name = ${name} and (l.account_id = a.id or l.account_id is null)
  union all select ${LIMITS[name]}::bigint, 3) as chosen order by place limit 1)`;

/** Includes reserved places. */
export async function readLimits(owner: Owner, limits: readonly Limit[]): Promise<LimitUse[]> {
  const used = limits.map((limit) => sql`select ${limit.name}::text as name, ${limit.used}::bigint as used`);
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

export async function readLimit(owner: Owner, limit: Limit): Promise<LimitUse> {
  const [use] = await readLimits(owner, [limit]);
  if (!use) throw new AppError("not_found");
  return use;
}

export const limitReached = ({ name, most, used }: LimitUse) =>
  new AppError("limit_reached", { limit: name, most, used });

/**
 * Throws `limit_reached` (`limit`, `most`, `used`). In the adding transaction: others wait until its commit,
 * so two together never pass the limit. Existing excess stays.
 */
export async function requireRoom(inside: Owner, limit: Limit, adding = 1): Promise<void> {
  if (!inside.db.isTransaction) throw new Error("a limit is checked in the transaction that adds");
  // A separate statement: the count must see the previous commit.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`limit ${limit.name} ${inside.accountId}`}, 0))`.execute(
    inside.db,
  );
  await refuseFull(inside, limit, adding);
}

/** Early check without the lock, before work that `requireRoom` would reject. */
export async function refuseFull(owner: Owner, limit: Limit, adding = 1): Promise<void> {
  const use = await readLimit(owner, limit);
  if (use.most !== null && use.used + adding > use.most) throw limitReached(use);
}

/** In the storing transaction, or the place counts twice. */
export type FillPlace = (tx: Db) => Promise<void>;

/** The place is reserved while another server creates something. */
export async function withRoom<T>(
  owner: Owner,
  limits: readonly Limit[],
  work: (fill: FillPlace) => Promise<T>,
): Promise<T> {
  const ids = await owner.db.transaction().execute((tx) => reserve(owner.in(tx), limits));
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

async function reserve(inside: Owner, limits: readonly Limit[]): Promise<number[]> {
  const ids: number[] = [];
  await sql`delete from limit_reservation where account_id = ${inside.accountId}::uuid and until < now()`.execute(
    inside.db,
  );
  for (const limit of limits) {
    await requireRoom(inside, limit);
    const { rows } = await sql<{ id: number }>`insert into limit_reservation (account_id, name, until)
      values (${inside.accountId}::uuid, ${limit.name}, now() + ${LONGEST_RESERVATION_S} * interval '1 second') returning id`.execute(
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
