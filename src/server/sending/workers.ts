import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { executeKept } from "../db/kept.ts";
import { coalesced } from "./coalesced.ts";

/** A process that owns lanes. */
export type Worker = {
  id: string;
  /** Kinds of connections that it can open. */
  kinds: readonly string[];
  /** The data folder whose files it can read; null: of none. */
  dataFolder: string | null;
};

/** At most so many lanes are given up at once for another's sake: each is a session that ends here and begins there. */
const MOST_AT_ONCE = 20;

/** How many connections of a kind a process may own, and how many of them it should give up to one that has too few. */
export type Share = { most: number; excess: number };

type Count = { kind: string; total: number; mine: number; others: number; least: number };

/**
 * The shares of a process, kind by kind, for not every process can open every kind: an n-th, rounded up, among the n that live. A process
 * that has just come and owns nothing counts; whoever has two more than another gives up what is beyond its n-th, or one. Two counts that
 * differ by one stay as they are, or connections would travel for ever.
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
        from worker w where w.id <> ${id}::uuid and k.kind = any(w.kinds) and w.lease_until > now()) each) o`.execute(
    db,
  );
  return new Map(rows.map((count) => [count.kind, shareOf(count)]));
}

/**
 * A connection at rest needs no owner. One at rest that still names one was not given up in order: people may be on its wire, and
 * somebody must look.
 */
export const WANTS_OWNER = sql`(desired <> 'disconnected' or state <> 'disconnected' or owner is not null)`;

function shareOf({ total, mine, others, least }: Omit<Count, "kind">): Share {
  const most = Math.ceil(total / (others + 1));
  // While there are free ones, whoever has too few takes those.
  const excess = others > 0 && mine >= most && mine - least >= 2 ? Math.max(1, mine - most) : 0;
  return { most, excess: Math.min(excess, MOST_AT_ONCE) };
}

/** Nobody else can be alive on this database: no process is there to share with. */
export async function forgetWorkers(db: Db): Promise<void> {
  await sql`delete from worker`.execute(db);
}

/** The process ends: whoever died before it and said nothing is forgotten with it. */
export async function forgetWorker(db: Db, id: string): Promise<void> {
  await sql`delete from worker where id = ${id}::uuid or lease_until < now() - interval '1 hour'`.execute(db);
}

const LOOK_MS = 1_000;
/** Renewals are late on a busy machine, and whoever is ending renews as well. */
const DEAD = sql`lease_until < now() - interval '2 seconds'`;

/**
 * Looks for processes that ended without a word, and forgets them once `died` has told of it: what they changed in their last moment and
 * had not told yet nobody else knows of. Several may tell of the same one.
 */
export function watchWorkers(
  db: Db,
  died: () => Promise<void>,
  fault: (error: unknown) => void,
): { close(): Promise<void> } {
  const looks = coalesced(async () => {
    try {
      const dead = await executeKept(sql<{ id: string }>`select id from worker where ${DEAD}`, db);
      if (dead.length === 0) return;
      await died();
      await sql`delete from worker where id = any(${dead.map(({ id }) => id)}::uuid[]) and ${DEAD}`.execute(
        db,
      );
    } catch (error) {
      fault(error);
    }
  });
  const timer = setInterval(looks.ask, LOOK_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await looks.idle();
    },
  };
}

/** Whether a living process reads the files of this data folder: otherwise what is uploaded into it waits for nobody. */
export async function hasWorkerAt(db: Db, dataFolder: string): Promise<boolean> {
  const { rows } =
    await sql`select from worker where data_folder = ${dataFolder}::uuid and lease_until > now()`.execute(db);
  return rows.length > 0;
}

/** How many processes work now. */
export async function livingWorkers(db: Db): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from worker where lease_until > now()`.execute(db);
  return rows[0]?.n ?? 0;
}
