import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";

/** An instance whose messages were asked for, and how many its gateway had. */
type Asked = {
  connectionId: number;
  name: string;
  found: number;
  client: Pick<EvolutionClient, "findMessages">;
};

/**
 * Notes whether a gateway keeps messages (some are told not to), by whether it knows one that it sent for us. Asked for by its id: the
 * gateway's clock does not matter then. True when the card has to say something else.
 */
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
 * A message that the gateway took lately, and long enough ago to be stored. Null where nothing was sent lately, or where the answer is known
 * already. The ids of an instance may be a million, so recent campaigns and single messages are looked for first.
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
