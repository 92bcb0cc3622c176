import type { Health } from "../../contract/system.ts";
import type { Clock } from "../../domain/clock.ts";
import { isDiskLow } from "../base/disk.ts";
import type { Storage } from "../postgres/storage.ts";
import { upkeepOf } from "../sending/sending.ts";

const LIMIT_MS = 2_000;

type Deps = {
  storage: Pick<Storage, "database" | "kind" | "dataFolder">;
  lanes: () => Health["lanes"];
  process: Health["process"];
  version: string;
  clock: Clock;
};

/** Answers within two seconds, even if the database does not. */
export function healthOf({ storage, lanes, process: part, version, clock }: Deps): () => Promise<Health> {
  const started = clock.monotonic();
  return async () => {
    const { version: databaseVersion, workers } = await askDatabase(storage.database);
    return {
      status: databaseVersion === null ? "degraded" : "ok",
      process: part,
      version,
      node: process.version,
      database: { up: databaseVersion !== null, kind: storage.kind, version: databaseVersion },
      disk: { low: await isDiskLow(storage.dataFolder) },
      lanes: lanes(),
      workers,
      uptimeSeconds: Math.floor((clock.monotonic() - started) / 1_000),
    };
  };
}

type Answer = { version: string | null; workers: number };
const AWAY: Answer = { version: null, workers: 0 };

async function askDatabase(database: Storage["database"]): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(AWAY), LIMIT_MS);
  });
  const asked = countWorkers(database).catch(() => AWAY);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function countWorkers({ db, query }: Storage["database"]): Promise<Answer> {
  const { rows } = await query<{ version: string }>("select current_setting('server_version') as version");
  return { version: rows[0]?.version ?? null, workers: await upkeepOf(db).countWorkers() };
}
