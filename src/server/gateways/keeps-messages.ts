import { sql } from "kysely";
import type { Db } from "../db/client.ts";
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

/**
 * Sent recently, but long enough ago to be stored. Recent campaigns and direct messages first, as ids may
 * number a million.
 */
async function recentlySent(db: Db, connectionId: number): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`select m.provider_id as id from provider_message m
    where m.connection_id = ${connectionId}
      and m.created_at between now() - interval '15 minutes' and now() - interval '1 minute'
      and exists (select from instance i where i.connection_id = ${connectionId} and i.keeps_messages is distinct from false)
      and (exists (select from campaign c where c.connection_id = ${connectionId}
          and c.claimed_at > now() - interval '20 minutes')
        or exists (select from outbox o where o.connection_id = ${connectionId}
          and o.created_at > now() - interval '20 minutes'))
    limit 1`.execute(db);
  return rows[0]?.id ?? null;
}
