import { type RawBuilder, sql } from "kysely";
import { mistralKeyPlace } from "../agents/settings.ts";
import { recordForAll } from "../audit/service.ts";
import { during, operatorRequest } from "../base/request-context.ts";
import { StartError } from "../base/start-error.ts";
import type { Db } from "../db/client.ts";
import { livingProcesses } from "../db/living.ts";
import { renewCanary, type Secrets } from "../db/secrets.ts";
import { apiKeyPlace } from "../gateways/access.ts";
import { forgetHooks } from "../gateways/instances-repo.ts";
import { hookSecretPlace, makeHookSecret } from "../gateways/webhook-secret.ts";

export type Forgotten = { devices: number; gateways: number; instances: number; mistralKeys: number };

/** Placeholder key: servers refuse it and the screens show a wrong key. */
const NO_KEY = "lost";

/**
 * Deletes what only the lost key opens and ends all sessions; without `confirmed` only counts. Refuses while
 * a process works, since it has a valid key.
 */
export async function forgetLost(db: Db, secrets: Secrets, confirmed: boolean): Promise<Forgotten> {
  const trial = await db.startTransaction().execute();
  try {
    const forgotten = await forget(trial, secrets);
    await (confirmed ? trial.commit() : trial.rollback()).execute();
    return forgotten;
  } catch (error) {
    await trial.rollback().execute();
    throw error;
  }
}

async function forget(tx: Db, secrets: Secrets): Promise<Forgotten> {
  await refuseRunning(tx);
  const forgotten = {
    devices: await forgetDevices(tx, secrets),
    gateways: await forgetGatewayKeys(tx, secrets),
    instances: await renewInstances(tx, secrets),
    mistralKeys: await forgetMistralKeys(tx, secrets),
  };
  await sql`delete from session`.execute(tx);
  await renewCanary(tx, secrets);
  await during(operatorRequest(), () => recordForAll(tx, { kind: "secret_key_lost" }));
  return forgotten;
}

/** Web-only processes count too: they seal what users enter. */
async function refuseRunning(tx: Db): Promise<void> {
  const living = await livingProcesses(tx);
  if (living.length > 0)
    throw new StartError(
      `Um Recado está rodando neste banco de dados (${living.join("; ")}): ele tem a chave. Use a mesma aqui, ou encerre-o, espere um minuto e tente de novo.`,
    );
}

const lost = (column: RawBuilder<unknown>, { keyIds }: Secrets) =>
  sql<boolean>`substring(${column} from 2 for 4) <> all(${keyIds}::bytea[])`;

/**
 * A partial session is worthless. A resting one keeps its state reason. The fence locks out a process that
 * still has the lost key.
 */
async function forgetDevices(tx: Db, secrets: Secrets): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    update connection c set fence = fence + 1, owner = null,
      state_since = case when state = 'disconnected' and state_reason <> 'restored' then state_since else now() end,
      state_reason = case when state = 'disconnected' and state_reason <> 'restored' then state_reason else 'key_lost' end,
      state_reason_until = case when state = 'disconnected' and state_reason <> 'restored' then state_reason_until end,
      state = 'disconnected', qr = null, qr_expires_at = null, pairing_code_wanted = false, pairing_code = null,
      pairing_code_expires_at = null
    where exists (select from device_creds d where d.connection_id = c.id and ${lost(sql`d.data`, secrets)})
      or exists (select from device_key k where k.connection_id = c.id and ${lost(sql`k.data`, secrets)})
    returning id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await sql`delete from device_key where connection_id = any(${ids}::bigint[])`.execute(tx);
  await sql`delete from device_creds where connection_id = any(${ids}::bigint[])`.execute(tx);
  return ids.length;
}

/** The operator's keys return from the settings at the next start, except for withdrawn servers. */
async function forgetGatewayKeys(tx: Db, secrets: Secrets): Promise<number> {
  const { rows } = await sql<{
    id: number;
    own: boolean;
  }>`select id, account_id is not null as own from gateway
    where ${lost(sql`api_key`, secrets)}`.execute(tx);
  for (const { id, own } of rows)
    await sql`update gateway set api_key = ${secrets.seal(NO_KEY, apiKeyPlace(id))}, key_hint = '',
        check_state = case when ${own} then 'wrong_key' else check_state end
      where id = ${id}`.execute(tx);
  return rows.filter(({ own }) => own).length;
}

/**
 * Token and secret share one seal. Without a token the server's key is used; the webhook gets a new secret
 * and is set again.
 */
async function renewInstances(tx: Db, secrets: Secrets): Promise<number> {
  const { rows } = await sql<{ id: number }>`select connection_id as id from instance
    where ${lost(sql`hook_secret`, secrets)}`.execute(tx);
  for (const { id } of rows)
    await sql`update instance set token = null, hook_secret = ${secrets.seal(makeHookSecret(), hookSecretPlace(id))}
      where connection_id = ${id}`.execute(tx);
  if (rows.length > 0) await forgetHooks(tx);
  return rows.length;
}

async function forgetMistralKeys(tx: Db, secrets: Secrets): Promise<number> {
  const { rows } = await sql<{ account: string }>`select account_id as account from mistral_setting
    where ${lost(sql`api_key`, secrets)}`.execute(tx);
  for (const { account } of rows)
    await sql`update mistral_setting set api_key = ${secrets.seal(NO_KEY, mistralKeyPlace(account))}, key_hint = ''
      where account_id = ${account}`.execute(tx);
  return rows.length;
}
