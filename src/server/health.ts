import type { Health } from "../contract/system.ts";
import type { Clock } from "../domain/clock.ts";
import type { Storage } from "./storage.ts";

const LIMIT_MS = 2_000;

type Deps = {
  storage: Pick<Storage, "database" | "kind">;
  lanes: () => Health["lanes"];
  process: Health["process"];
  version: string;
  clock: Clock;
};

/** Says what is up. Answers within two seconds, also when the database does not. */
export function healthOf({ storage, lanes, process: part, version, clock }: Deps): () => Promise<Health> {
  const started = clock.monotonic();
  return async () => {
    const databaseVersion = await askDatabase(storage.database);
    return {
      status: databaseVersion === null ? "degraded" : "ok",
      process: part,
      version,
      node: process.version,
      database: { up: databaseVersion !== null, kind: storage.kind, version: databaseVersion },
      lanes: lanes(),
      uptimeSeconds: Math.floor((clock.monotonic() - started) / 1_000),
    };
  };
}

async function askDatabase(database: Storage["database"]): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), LIMIT_MS);
  });
  const asked = database
    .query<{ version: string }>("select current_setting('server_version') as version")
    .then(
      ({ rows }) => rows[0]?.version ?? null,
      () => null,
    );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
