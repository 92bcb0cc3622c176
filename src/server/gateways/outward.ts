import { sql } from "kysely";
import type { Access } from "../../contract/accounts.ts";
import type { Owner } from "../db/owner.ts";
import { noteRelay } from "./instances-repo.ts";
import { hookChanged } from "./webhook-hooks.ts";

const hostOfUrl = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

/** `set-webhooks` then restores ours at gateways. Inside a transaction. */
export async function endRelays(owner: Owner): Promise<Access[]> {
  const { rows } = await sql<{ id: number; name: string; url: string }>`
    with before as (
      select connection_id, relay_url from instance
      where account_id = ${owner.accountId} and relay_url is not null order by connection_id for update)
    update instance i set relay_url = null, relay_at = null, relay_status = null, relay_error = null,
      hook_state = case when i.hook_state = 'literal' then 'unset' else i.hook_state end
    from before b where i.connection_id = b.connection_id
    returning i.connection_id as id, i.name, b.relay_url as url`.execute(owner.db);
  for (const { id, name } of rows) {
    await hookChanged(owner.db, id);
    await noteRelay(owner, name, null);
  }
  return rows.map(({ name, url }) => ({ kind: "relay", name, host: hostOfUrl(url) }));
}

export async function listOutward(owner: Owner): Promise<Access[]> {
  const relays = await sql<{ name: string; url: string }>`
    select name, relay_url as url from instance
    where account_id = ${owner.accountId} and relay_url is not null order by name`.execute(owner.db);
  const servers = await sql<{ name: string; url: string }>`
    select name, url from gateway where account_id = ${owner.accountId} order by name`.execute(owner.db);
  return [
    ...relays.rows.map(({ name, url }) => ({ kind: "relay" as const, name, host: hostOfUrl(url) })),
    ...servers.rows.map(({ name, url }) => ({ kind: "gateway" as const, name, host: hostOfUrl(url) })),
  ];
}
