import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";

const WINDOW_MS = 250;
/** Above this, all watching accounts are notified. */
const MOST = 1_000;

type Deps = { db: Db; changes: Pick<Changes, "watched" | "notifyHere">; log: Logger };

/** Each process hears of every sent message, so none forwards. */
export function sentWatch({ db, changes, log }: Deps): (outboxId: number) => void {
  let ids = new Set<number>();
  let gathering = false;

  async function tell(): Promise<void> {
    const batch = [...ids];
    ids = new Set();
    const watched = changes.watched();
    if (watched.length === 0) return;
    const accounts = batch.length > MOST ? watched : await ownersOf(batch, watched);
    for (const accountId of accounts) changes.notifyHere(accountId, "chats");
  }

  async function ownersOf(batch: number[], watched: string[]): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`select distinct account_id as id from outbox
      where id = any(${batch}::bigint[]) and account_id = any(${watched}::uuid[])`.execute(db);
    return rows.map(({ id }) => id);
  }

  return (outboxId) => {
    ids.add(outboxId);
    if (gathering) return;
    gathering = true;
    setTimeout(() => {
      gathering = false;
      tell().catch((error: unknown) => log.debug({ err: error }, "live updates of sent messages failed"));
    }, WINDOW_MS).unref();
  };
}
