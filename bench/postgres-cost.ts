import fs from "node:fs";
import type { Database } from "../src/server/db/client.ts";

/** `cpuS` is null where the database runs on another machine. */
export type PostgresCost = { walBytes: number; cpuS: number | null };

/** The returned function answers the cost since this call. */
export async function countPostgres(database: Database): Promise<() => Promise<PostgresCost>> {
  const wal = await walPosition(database);
  const root = await postmasterOf(database);
  const before = root === null ? null : treeTicks(root);
  return async () => {
    const now = root === null ? null : treeTicks(root);
    return {
      walBytes: (await walPosition(database)) - wal,
      cpuS: before === null || now === null ? null : (now - before) / 100,
    };
  };
}

async function walPosition(database: Database): Promise<number> {
  const { rows } = await database.query<{ at: number }>(
    "select (pg_current_wal_insert_lsn() - '0/0')::float8 as at",
  );
  return rows[0]?.at ?? 0;
}

async function postmasterOf(database: Database): Promise<number | null> {
  const { rows } = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
  const backend = statOf(rows[0]?.pid ?? 0);
  return backend?.name === "postgres" ? backend.parent : null;
}

type Stat = { name: string; parent: number; ticks: number };

/** Fields of `stat` are counted after the process name, which may hold spaces. */
function statOf(pid: number): Stat | null {
  try {
    const line = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = line.slice(line.indexOf("(") + 1, line.lastIndexOf(")"));
    const fields = line
      .slice(line.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent = 0, used] = [fields[1], fields.slice(11, 15)];
    return { name, parent, ticks: used.reduce((sum, ticks) => sum + ticks, 0) };
  } catch {
    return null;
  }
}

/** CPU time of a process, its dead children and its living ones, in ticks of 10 ms. */
function treeTicks(root: number): number {
  let ticks = statOf(root)?.ticks ?? 0;
  for (const entry of fs.readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : null;
    if (stat?.parent === root) ticks += stat.ticks;
  }
  return ticks;
}
