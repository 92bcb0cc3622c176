import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { isSealedByOtherKey, type Secrets } from "../db/secrets.ts";
import { apiKeyPlace } from "./access.ts";
import { pruneHooks } from "./instances-repo.ts";
import { hookSecretPlace, makeHookSecret } from "./webhook-secret.ts";

/**
 * Seals `placeholder` in place of unreadable API keys; returns the number of users' servers. The operator's
 * keys return from the settings at the next start, except for withdrawn servers.
 */
export async function replaceUnreadableApiKeys(
  tx: Db,
  secrets: Secrets,
  placeholder: string,
): Promise<number> {
  const { rows } = await sql<{
    id: number;
    own: boolean;
  }>`select id, account_id is not null as own from gateway
    where ${isSealedByOtherKey(sql`api_key`, secrets)}`.execute(tx);
  for (const { id, own } of rows)
    await sql`update gateway set api_key = ${secrets.seal(placeholder, apiKeyPlace(id))}, key_hint = '',
        check_state = case when ${own} then 'wrong_key' else check_state end
      where id = ${id}`.execute(tx);
  return rows.filter(({ own }) => own).length;
}

/**
 * Token and secret share one seal. Without a token the server's key is used; the webhook gets a new secret
 * and is set again.
 */
export async function renewUnreadableInstances(tx: Db, secrets: Secrets): Promise<number> {
  const { rows } = await sql<{ id: number }>`select connection_id as id from instance
    where ${isSealedByOtherKey(sql`hook_secret`, secrets)}`.execute(tx);
  for (const { id } of rows)
    await sql`update instance set token = null, hook_secret = ${secrets.seal(makeHookSecret(), hookSecretPlace(id))}
      where connection_id = ${id}`.execute(tx);
  if (rows.length > 0) await pruneHooks(tx);
  return rows.length;
}
