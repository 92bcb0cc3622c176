import { sql } from "kysely";
import { repeat } from "../../base/repeat.ts";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import { isSuspended } from "../../db/suspended.ts";

export type Worker = {
  id: string;
  kinds: readonly string[];
  dataFolder: string | null;
};

/** Each release closes one session and opens another. */
const MOST_AT_ONCE = 20;

export type Share = { most: number; excess: number };

type Count = { kind: string; total: number; mine: number; others: number; least: number };

/**
 * A process's share per kind: an n-th, rounded up, of live processes that can open it. Only a difference of
 * two or more moves connections, or they would move for ever.
 */
export async function sharesOf(db: Db, { id, kinds }: Worker): Promise<ReadonlyMap<string, Share>> {
  const { rows } = await sql<Count>`select k.kind, n.total, n.mine, o.others, o.least
    from unnest(${[...kinds]}::text[]) as k(kind)
    cross join lateral (
      select count(*) filter (where ${WANTS_OWNER})::int as total, count(*) filter (where owner = ${id}::uuid)::int as mine
      from connection c where c.kind = k.kind) n
    cross join lateral (
      select count(*)::int as others, coalesce(min(owned), 0)::int as least
      from (select (select count(*) from connection c where c.owner = w.id and c.kind = k.kind) as owned
        from worker w where w.id <> ${id}::uuid and k.kind = any(w.kinds) and ${LIVES}) each) o`.execute(db);
  return new Map(rows.map((count) => [count.kind, shareOf(count)]));
}

/**
 * Stopped connections need no owner, except one that still names it: messages may be in flight. Suspended
 * accounts wait.
 */
export const WANTS_OWNER = sql`((desired <> 'disconnected' or state <> 'disconnected' or owner is not null)
  and not ${isSuspended(sql.ref("account_id"))})`;

export const IS_FREE = sql`not exists (select from worker w where w.id = owner and w.lease_until >= now())`;

/** A leaving process keeps its connections until released and acquires none. */
const LIVES = sql`w.lease_until > now() and not w.leaving and w.kinds <> '{}'`;

/** For deletion: an owner without process or renewal. Returns its id. */
export async function seizingOwner(tx: Db, seconds: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`insert into worker (id, kinds, lease_until)
    values (gen_random_uuid(), '{}', now() + ${seconds} * interval '1 second') returning id`.execute(tx);
  return rows[0]?.id ?? "";
}

function shareOf({ total, mine, others, least }: Omit<Count, "kind">): Share {
  const most = Math.ceil(total / (others + 1));
  const excess = others > 0 && mine >= most && mine - least >= 2 ? Math.max(1, mine - most) : 0;
  return { most, excess: Math.min(excess, MOST_AT_ONCE) };
}

/** No other process can use this database. */
export async function deleteWorkers(db: Db): Promise<void> {
  await sql`delete from worker`.execute(db);
}

/** The process ends: forgets it and dead predecessors. */
export async function deleteWorker(db: Db, id: string): Promise<void> {
  await sql`delete from worker where id = ${id}::uuid or lease_until < now() - interval '1 hour'`.execute(db);
}

const LOOK_MS = 1_000;
const DEAD = sql`lease_until < now() - interval '2 seconds'`;
/** A returning process keeps its connections; if forgotten it would acquire all again. */
const GONE = sql`lease_until < now() - interval '1 minute'`;

/**
 * Calls `died` once per crashed process, whose last changes may be unpublished; several processes may call
 * it. Crashed ones are forgotten when they cannot return.
 */
export function watchWorkers(
  db: Db,
  died: () => Promise<void>,
  failed: (error: unknown) => void,
): { close(): Promise<void> } {
  let reported = new Set<string>();
  async function look(): Promise<void> {
    const dead = await executePrepared(
      sql<{ id: string; gone: boolean; worked: boolean }>`select id, ${GONE} as gone, kinds <> '{}' as worked
        from worker where ${DEAD}`,
      db,
    );
    if (dead.some(({ id, worked }) => worked && !reported.has(id))) await died();
    reported = new Set(dead.map(({ id }) => id));
    const gone = dead.filter((one) => one.gone).map(({ id }) => id);
    if (gone.length > 0)
      await sql`delete from worker where id = any(${gone}::uuid[]) and ${GONE}`.execute(db);
  }
  return repeat(LOOK_MS, look, failed);
}

/** Otherwise uploads to this data folder wait for no process. */
export async function hasWorkerAt(db: Db, dataFolder: string): Promise<boolean> {
  const { rows } =
    await sql`select from worker w where w.data_folder = ${dataFolder}::uuid and ${LIVES}`.execute(db);
  return rows.length > 0;
}

/** SQL: number of processes that work. */
export const LIVING_WORKERS = sql<number>`(select count(*)::int from worker w where ${LIVES})`;

export async function livingWorkers(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`select ${LIVING_WORKERS} as n`.execute(db);
  return rows[0]?.n ?? 0;
}
