import { sql } from "kysely";
import { coalesced } from "../../base/coalesced.ts";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import { isSuspended } from "../../db/suspended.ts";

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
        from worker w where w.id <> ${id}::uuid and k.kind = any(w.kinds) and ${LIVES}) each) o`.execute(db);
  return new Map(rows.map((count) => [count.kind, shareOf(count)]));
}

/**
 * A connection at rest needs no owner. One at rest that still names one was not given up in order: people may be on its wire, and
 * somebody must look. Those of a suspended account wait until it is resumed.
 */
export const WANTS_OWNER = sql`((desired <> 'disconnected' or state <> 'disconnected' or owner is not null)
  and not ${isSuspended(sql.ref("account_id"))})`;

/** It has no owner whose lease (its row in `worker`, renewed every second) lasts. */
export const IS_FREE = sql`not exists (select from worker w where w.id = owner and w.lease_until >= now())`;

/** A process that works now, and will: one that leaves keeps what it owns until it has given that up, and takes nothing more. */
const LIVES = sql`w.lease_until > now() and not w.leaving and w.kinds <> '{}'`;

/**
 * For a connection that is to be deleted: an owner that opens nothing, and whose lease is renewed by no process. Answers its id.
 */
export async function seizingOwner(tx: Db, seconds: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`insert into worker (id, kinds, lease_until)
    values (gen_random_uuid(), '{}', now() + ${seconds} * interval '1 second') returning id`.execute(tx);
  return rows[0]?.id ?? "";
}

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
/** Renewals are late on a busy machine. */
const DEAD = sql`lease_until < now() - interval '2 seconds'`;
/** One that comes back after a pause goes on with what was not taken from it; forgotten, it would take all of its connections again. */
const GONE = sql`lease_until < now() - interval '1 minute'`;

/**
 * Looks for processes that ended without a word, and tells of each once by `died`: what they changed in their last moment and had not told
 * yet no other knows of. Several may tell of the same one. They are forgotten when they cannot come back.
 */
export function watchWorkers(
  db: Db,
  died: () => Promise<void>,
  fault: (error: unknown) => void,
): { close(): Promise<void> } {
  let told = new Set<string>();
  const looks = coalesced(async () => {
    try {
      const dead = await executePrepared(
        sql<{
          id: string;
          gone: boolean;
          worked: boolean;
        }>`select id, ${GONE} as gone, kinds <> '{}' as worked
          from worker where ${DEAD}`,
        db,
      );
      if (dead.some(({ id, worked }) => worked && !told.has(id))) await died();
      told = new Set(dead.map(({ id }) => id));
      const gone = dead.filter((one) => one.gone).map(({ id }) => id);
      if (gone.length > 0)
        await sql`delete from worker where id = any(${gone}::uuid[]) and ${GONE}`.execute(db);
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
    await sql`select from worker w where w.data_folder = ${dataFolder}::uuid and ${LIVES}`.execute(db);
  return rows.length > 0;
}

/** How many processes work now. */
export async function livingWorkers(db: Db): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from worker w where ${LIVES}`.execute(db);
  return rows[0]?.n ?? 0;
}
