import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { sqlParts } from "../sending/sending.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";

type Asked = {
  connectionId: number;
  name: string;
  found: number;
  client: Pick<EvolutionClient, "findMessages">;
};

/** Asks for a message it sent, by id, as its clock may differ. True when the card changes. */
export async function noteKeeping(db: Db, { connectionId, name, found, client }: Asked): Promise<boolean> {
  let keeps = found > 0;
  if (!keeps) {
    const id = await recentlySent(db, connectionId);
    if (id === null) return false;
    keeps = (await client.findMessages(name, { id })).messages.length > 0;
  }
  const { rows } = await sql`update instance set keeps_messages = ${keeps}
    where connection_id = ${connectionId} and keeps_messages is distinct from ${keeps} returning 1`.execute(
    db,
  );
  return rows.length > 0;
}

async function recentlySent(db: Db, connectionId: number): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`select r.id from (${sqlParts().recentIds(connectionId)}) r
    where exists (select from instance i where i.connection_id = ${connectionId} and i.keeps_messages is distinct from false)
    limit 1`.execute(db);
  return rows[0]?.id ?? null;
}
