import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

export async function twinOf(db: Db, account: string, connectionId: number): Promise<number> {
  const name = `loja-${connectionId}`;
  const { rows } = await sql<{ id: number }>`with
    gateway as (insert into gateway (account_id, name, url, api_key, key_hint)
      values (${account}::uuid, 'Loja', 'http://127.0.0.1:1', '', '') returning id),
    twin as (insert into connection (account_id, kind, device_id, name, state)
      values (${account}::uuid, 'instance', ${name}, ${name}, 'connected') returning id),
    instance as (insert into instance (connection_id, account_id, gateway_id, gateway_url, name, phone, hook_id, hook_secret)
      select t.id, ${account}::uuid, g.id, 'http://127.0.0.1:1', ${name}, c.device_id::bigint, ${name}, ''
      from twin t, gateway g, connection c where c.id = ${connectionId}),
    link as (insert into assistant_link (connection_id, account_id, agent_id, agent_name)
      select t.id, l.account_id, l.agent_id, l.agent_name from twin t, assistant_link l where l.connection_id = ${connectionId})
    select id from twin`.execute(db);
  return rows[0]?.id ?? 0;
}
