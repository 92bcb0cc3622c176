import { sql } from "kysely";
import { type Db, LISTENING } from "./client.ts";

/** Version, pid and host as announced; null from an earlier version. */
type Living = { name: string | null; address: string | null; since: Date };

/**
 * In words. Serving processes hold a LISTEN connection, working ones a lease; after a crash it ends at once,
 * the lease in seconds.
 */
export async function livingProcesses(db: Db): Promise<string[]> {
  const { rows } = await sql<Living>`
    select nullif(trim(substr(application_name, ${LISTENING.length + 1})), '') as name, host(client_addr) as address,
      min(backend_start) as since
    from pg_stat_activity
    where datname = current_database() and starts_with(application_name, ${LISTENING})
      and state_change > now() - interval '1 minute'
    group by 1, 2 order by since`.execute(db);
  const found = rows.length > 0 ? rows : await workers(db);
  return found.map(wordsOf);
}

/** As JSON, since older tables may lack columns. A worker without kinds only acquired a connection. */
async function workers(db: Db): Promise<Living[]> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('worker') is not null as found`.execute(
    db,
  );
  if (!rows[0]?.found) return [];
  const living = await sql<Living>`
    select null as name, null as address, coalesce((to_jsonb(w) ->> 'started_at')::timestamptz, now()) as since
    from worker w where lease_until > now() and coalesce(to_jsonb(w) -> 'kinds', '[0]') <> '[]'`.execute(db);
  return living.rows;
}

function wordsOf({ name, address, since }: Living): string {
  const [, version, pid, machine] = /^(\S+) (\d+) (.+)$/.exec(name ?? "") ?? [];
  const when = `desde ${since.toLocaleString("pt-BR")}`;
  if (version !== undefined) return `processo ${pid} em ${machine}, versão ${version}, ${when}`;
  return `um processo de versão anterior${address === null ? "" : ` em ${address}`}, ${when}`;
}
