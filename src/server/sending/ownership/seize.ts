import { sql } from "kysely";
import type { Owner } from "../../db/owner.ts";
import { removeConnection } from "./acquire.ts";
import { deleteWorker, seizingOwner } from "./workers.ts";

/** No process can open a seized connection during this lease. */
const SEIZED_S = 60;

/** Deletes connections without ending their sessions at WhatsApp. `also` runs in the commit that seizes them. */
export async function removeKeepingSessions(
  owner: Owner,
  connectionIds: readonly number[],
  also: (inside: Owner) => Promise<void>,
): Promise<void> {
  const { seized, seizing } = await owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const seizing = await seizingOwner(tx, SEIZED_S);
    const lanes = [];
    for (const connectionId of connectionIds.toSorted((a, b) => a - b)) {
      const fence = await seize(inside, connectionId, seizing);
      if (fence !== undefined) lanes.push({ connectionId, fence });
    }
    await also(inside);
    return { seized: lanes, seizing };
  });
  for (const lane of seized) await removeConnection(owner.db, lane);
  await deleteWorker(owner.db, seizing);
}

/** `seizing` opens nothing, so the session does not end. Returns the fence. */
export async function seize(tx: Owner, connectionId: number, seizing: string): Promise<number | undefined> {
  const { rows } = await sql<{ fence: number }>`
    update connection set desired = 'removed', is_default = false, fence = fence + 1, owner = ${seizing}::uuid
    where id = ${connectionId} and account_id = ${tx.accountId} returning fence`.execute(tx.db);
  return rows[0]?.fence;
}
