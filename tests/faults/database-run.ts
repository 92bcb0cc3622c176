import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { runCampaign } from "./campaign.ts";
import { chance } from "./chance.ts";
import { check } from "./check.ts";
import { type Commits, keepCommitting } from "./commits.ts";
import { type DatabasePlan, describeDatabasePlan, type Victim } from "./database-plan.ts";
import { isOver, makeList, until } from "./installation.ts";
import { NOTHING, type Outcome } from "./outcome.ts";
import { DEVICE, PHONES, type World } from "./world.ts";

const ACK_MS = 120;

type Times = Pick<Outcome, "fromDeathMs" | "fromDatabaseMs">;

export async function runDatabasePlan(world: World, seed: number, plan: DatabasePlan): Promise<Outcome> {
  const { control, database } = world;
  // A receipt may have ended the run early; otherwise the acknowledgement would be waited for a minute.
  await pause(2 * ACK_MS);
  await control.reset({ keepDevices: true });
  const { listId } = await makeList(world, { ...plan, base: PHONES });
  await control.people({
    settings: { deliversAfterMs: plan.index % 2 === 0 ? 5 : null, readsAfterMs: null },
  });
  await control.faults({ delayAcks: { ms: ACK_MS, count: 1_000_000 } });
  const times: Times = { fromDeathMs: [], fromDatabaseMs: [] };
  const commits = await keepCommitting(database.db);
  let counted = { committed: 0, commitsLost: 0 };
  let id = 0;
  try {
    const campaign = { ...plan, listId, paced: false, kills: [], intervention: "nothing" as const };
    ({ id } = await runCampaign(world, campaign, chance(seed), async () => {
      for (const { victim, afterMs } of plan.kills) {
        await pause(afterMs);
        await strike(world, victim, commits, times);
      }
    }));
  } finally {
    counted = await commits.stop();
  }
  const verdict = await check(database.db, control, id, DEVICE);
  return {
    ...NOTHING,
    ...verdict,
    ...times,
    ...counted,
    plan: describeDatabasePlan(plan),
    kills: plan.kills.filter(({ victim }) => victim === "everything").length,
    databaseKills: plan.kills.length,
  };
}

async function strike(world: World, victim: Victim, commits: Commits, times: Times): Promise<void> {
  const pid = victim === "backend" ? await someBackend(world) : postmaster(world);
  const start = performance.now();
  process.kill(pid, "SIGKILL");
  if (victim === "everything") await world.product.kill9();
  const started = victim === "everything" ? world.product.start() : null;
  const atDeath = (await world.control.stats({})).accepted;
  const back = await until("the database again", async () =>
    commits.backAt() > start ? commits.backAt() : null,
  );
  const before = started ? atDeath : (await world.control.stats({})).accepted;
  await started;
  const next = await until("the next message", async () => {
    const { accepted } = await world.control.stats({});
    if (accepted > before) return performance.now();
    return (await isOver(world.database.db)) ? -1 : null;
  });
  if (next < 0) return;
  if (started) times.fromDeathMs.push(next - start);
  else times.fromDatabaseMs.push(next - back);
}

function postmaster({ product }: World): number {
  const file = path.join(product.dataFolder, "postgres", "postmaster.pid");
  return Number(fs.readFileSync(file, "utf8").split("\n")[0]);
}

/** The death of one backend makes PostgreSQL end all of them and recover. */
async function someBackend({ database: { db } }: World): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where application_name like 'recado%' and pid <> pg_backend_pid() order by backend_start desc limit 1`.execute(
    db,
  );
  return rows[0]?.pid ?? 0;
}
