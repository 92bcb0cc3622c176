import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";
import { until } from "./installation.ts";

export type Commits = {
  backAt(): number;
  stop(): Promise<{ committed: number; commitsLost: number }>;
};

export async function keepCommitting(db: Db): Promise<Commits> {
  await sql`create table if not exists fault_commit (n bigint primary key)`.execute(db);
  const { rows } = await sql<{ n: number }>`select coalesce(max(n), 0) as n from fault_commit`.execute(db);
  const acknowledged = new Set<number>();
  let next = rows[0]?.n ?? 0;
  let backAt = 0;
  let away = false;
  let stopped = false;
  const commit = async () => {
    while (!stopped) {
      next += 1;
      const n = next;
      const done = await sql`insert into fault_commit (n) values (${n})`.execute(db).then(
        () => true,
        () => false,
      );
      if (done) {
        acknowledged.add(n);
        if (away) backAt = performance.now();
        away = false;
      } else {
        away = true;
        await pause(10);
      }
      await pause(2);
    }
  };
  const committing = commit();
  return {
    backAt: () => backAt,
    async stop() {
      stopped = true;
      await committing;
      const kept = await until("what was committed", () =>
        sql<{ n: number }>`select n from fault_commit`.execute(db),
      );
      const there = new Set(kept.rows.map(({ n }) => n));
      const commitsLost = [...acknowledged].filter((n) => !there.has(n)).length;
      return { committed: acknowledged.size, commitsLost };
    },
  };
}
