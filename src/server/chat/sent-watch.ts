import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";

/** How long changes are gathered before the pages hear of them. */
const WINDOW_MS = 250;
/** With more than these at once, everybody who looks is told. */
const MOST = 1_000;

type Deps = { db: Db; changes: Pick<Changes, "watched" | "tellHere">; log: Logger };

/**
 * Tells the pages of this process that messages sent from here changed their state. Every process hears of each such message, whichever
 * lane or receipt settled it, so none has to tell the others.
 */
export function sentWatch({ db, changes, log }: Deps): (outboxId: number) => void {
  let ids = new Set<number>();
  let gathering = false;

  async function tell(): Promise<void> {
    const told = [...ids];
    ids = new Set();
    const watched = changes.watched();
    if (watched.length === 0) return;
    const accounts = told.length > MOST ? watched : await ownersOf(told, watched);
    for (const accountId of accounts) changes.tellHere(accountId, "chats");
  }

  async function ownersOf(told: number[], watched: string[]): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`select distinct account_id as id from outbox
      where id = any(${told}::bigint[]) and account_id = any(${watched}::uuid[])`.execute(db);
    return rows.map(({ id }) => id);
  }

  return (outboxId) => {
    ids.add(outboxId);
    if (gathering) return;
    gathering = true;
    setTimeout(() => {
      gathering = false;
      tell().catch((error: unknown) => log.debug({ err: error }, "pages were not told of what was sent"));
    }, WINDOW_MS).unref();
  };
}
