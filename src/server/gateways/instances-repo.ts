import { sql } from "kysely";
import { record } from "../audit/service.ts";
import { insertInstanceConnection } from "../connections/service.ts";
import type { Db } from "../db/client.ts";
import { isOpenTo } from "../db/operator-services.ts";
import type { Owner } from "../db/owner.ts";
import { isRemoved, isSuspended } from "../db/suspended.ts";
import { cleanText } from "../transports/content/own-values.ts";

export type HookState = "unset" | "ours" | "literal" | "failed" | "taken";

export type InstanceRow = {
  connection_id: number;
  account_id: string;
  gateway_id: number;
  name: string;
  integration: string;
  token: Buffer | null;
  number: string | null;
  phone: string | null;
  profile_name: string | null;
  picture_url: string | null;
  hook_id: string;
  hook_secret: Buffer;
  hook_state: HookState;
  former_webhook: string | null;
  relay_url: string | null;
  relay_at: Date | null;
  relay_status: number | null;
  relay_error: string | null;
  relay_waiting: number;
  oddities: number;
  event_at: Date | null;
  keeps_messages: boolean | null;
  created_at: Date;
  device_id: string;
  state: "connected" | "connecting" | "pending" | "disconnected";
  cause: string | null;
};

const SELECTED = sql`
  select i.connection_id, i.account_id, i.gateway_id, i.name, i.integration, i.token, i.number, i.phone::text as phone,
    i.profile_name, i.picture_url, i.hook_id, i.hook_secret, i.hook_state, i.former_webhook, i.relay_url, i.relay_at,
    i.relay_status, i.relay_error, i.event_at, i.keeps_messages, i.created_at, c.device_id, c.state, c.state_reason as cause,
    (select count(*)::int from webhook_relay r where r.connection_id = i.connection_id and r.done_at is null) as relay_waiting,
    (select count(*)::int from unrecognized_event o where o.connection_id = i.connection_id) as oddities
  from instance i join connection c on c.id = i.connection_id`;

/** Connections being removed are visible to their lane only. */
const VISIBLE = sql.raw("c.desired <> 'removed'");

export async function listInstances(owner: Owner, gatewayId: number): Promise<InstanceRow[]> {
  const { rows } = await sql<InstanceRow>`
    ${SELECTED} where i.account_id = ${owner.accountId} and i.gateway_id = ${gatewayId} and ${VISIBLE} order by i.connection_id`.execute(
    owner.db,
  );
  return rows;
}

/** Ids of their connections. */
export async function findInstanceIds(owner: Owner): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select connection_id as id from instance
    where account_id = ${owner.accountId}::uuid order by 1`.execute(owner.db);
  return rows.map(({ id }) => id);
}

export async function findInstance(
  owner: Owner,
  gatewayId: number,
  name: string,
): Promise<InstanceRow | undefined> {
  const { rows } = await sql<InstanceRow>`
    ${SELECTED} where i.account_id = ${owner.accountId} and i.gateway_id = ${gatewayId} and i.name = ${name} and ${VISIBLE}`.execute(
    owner.db,
  );
  return rows[0];
}

/** Account of an instance, also while it is being removed. */
export async function holderOf(db: Db, gatewayUrl: string, name: string): Promise<string | null> {
  const { rows } = await sql<{ account_id: string }>`
    select account_id from instance where gateway_url = ${gatewayUrl} and name = ${name}`.execute(db);
  return rows[0]?.account_id ?? null;
}

export type NewRow = {
  gatewayId: number;
  gatewayUrl: string;
  name: string;
  integration: string;
  number: string | null;
  hookId: string;
  hookState: HookState;
  relayUrl: string | null;
};

export type SealInstance = (connectionId: number) => { token: Buffer | null; hookSecret: Buffer };

/** Throws the unique violation of (gateway_url, name). */
export async function insertInstance(tx: Owner, row: NewRow, seal: SealInstance): Promise<number> {
  const { gatewayId, name } = row;
  const id = await insertInstanceConnection(tx, name, gatewayId);
  const { token, hookSecret } = seal(id);
  await sql`
    insert into instance (connection_id, account_id, gateway_id, gateway_url, name, integration, token, number, hook_id,
      hook_secret, hook_state, relay_url)
    values (${id}, ${tx.accountId}, ${gatewayId}, ${row.gatewayUrl}, ${name}, ${row.integration}, ${token}, ${row.number},
      ${row.hookId}, ${hookSecret}, ${row.hookState}, ${row.relayUrl})`.execute(tx.db);
  return id;
}

const LONGEST = 2_000;

/** Null keeps the stored value. */
export type Facts = { phone: string | null; profileName: string | null; pictureUrl: string | null };

export async function storeFacts(db: Db, connectionId: number, facts: Facts): Promise<void> {
  const clean = (text: string | null) => text && cleanText(text, LONGEST);
  await sql`
    update instance set phone = coalesce(${facts.phone}::bigint, phone),
      profile_name = coalesce(${clean(facts.profileName)}, profile_name),
      picture_url = coalesce(${clean(facts.pictureUrl)}, picture_url)
    where connection_id = ${connectionId}`.execute(db);
}

/** A recreated instance has a new token, so the server's key is used. */
export async function deleteToken(db: Db, connectionId: number): Promise<void> {
  await sql`update instance set token = null, hook_state = 'unset' where connection_id = ${connectionId}`.execute(
    db,
  );
}

export async function storeHook(db: Db, connectionId: number, state: HookState): Promise<void> {
  await sql`update instance set hook_state = ${state} where connection_id = ${connectionId}`.execute(db);
}

/** `taker`: the address found there. False: our webhook was set since. */
export async function storeNoticed(
  db: Db,
  connectionId: number,
  { before, now, taker }: { before: HookState; now: HookState; taker: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`update instance
    set hook_state = ${now}, former_webhook = coalesce(${taker && cleanText(taker, LONGEST)}, former_webhook)
    where connection_id = ${connectionId} and hook_state = ${before}`.execute(db);
  return numAffectedRows !== 0n;
}

export async function storeFormerWebhook(db: Db, connectionId: number, url: string): Promise<void> {
  await sql`update instance set former_webhook = ${cleanText(url, LONGEST)} where connection_id = ${connectionId} and former_webhook is null`.execute(
    db,
  );
}

/** Resets the delivery status; audited, since messages leave the server. */
export async function storeRelay(
  owner: Owner,
  { connectionId, name }: { connectionId: number; name: string },
  url: string | null,
): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    if (await setRelay(owner.in(tx), connectionId, url)) await noteRelay(owner.in(tx), name, url);
  });
}

/** Only the host: the rest may be a credential. */
export const noteRelay = (owner: Owner, name: string, url: string | null): Promise<void> =>
  url === null
    ? record(owner, { kind: "relay_ended", subject: name })
    : record(owner, { kind: "relay_set", subject: name, details: { host: new URL(url).host } });

async function setRelay(owner: Owner, connectionId: number, url: string | null): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update instance set relay_url = ${url}, relay_at = null, relay_status = null, relay_error = null
    where connection_id = ${connectionId} and account_id = ${owner.accountId} and relay_url is distinct from ${url}`.execute(
    owner.db,
  );
  return numAffectedRows !== 0n;
}

export type UnrecognizedRow = {
  id: number;
  reason: "unknown_event" | "malformed" | "foreign_instance";
  event: string | null;
  body: string;
  received_at: Date;
};

export async function listUnrecognized(owner: Owner, connectionId: number): Promise<UnrecognizedRow[]> {
  const { rows } = await sql<UnrecognizedRow>`
    select o.id, o.reason, o.event, o.body, o.received_at
    from unrecognized_event o join instance i on i.connection_id = o.connection_id
    where o.connection_id = ${connectionId} and i.account_id = ${owner.accountId}
    order by o.id desc limit 100`.execute(owner.db);
  return rows;
}

/** Of any account: for lanes and jobs. */
export type Reached = {
  connection_id: number;
  account_id: string;
  gateway_id: number;
  name: string;
  integration: string;
  number: string | null;
  phone: string | null;
  token: Buffer | null;
  hook_id: string;
  hook_secret: Buffer;
  hook_state: HookState;
  relay_url: string | null;
  url: string;
  api_key: Buffer;
  withdrawn: boolean;
  reaches_us: "unknown" | "yes" | "no";
  own: boolean;
};

const REACHED = sql`
  select i.connection_id, i.account_id, i.gateway_id, i.name, i.integration, i.number, i.phone::text as phone, i.token, i.hook_id,
    i.hook_secret, i.hook_state, i.relay_url, g.url, g.api_key, g.reaches_us,
    (g.withdrawn or g.account_id is null and not ${isOpenTo("gateways", sql`i.account_id`)}) as withdrawn,
    g.account_id is not null as own
  from instance i join gateway g on g.id = i.gateway_id join connection c on c.id = i.connection_id
    -- Deleted accounts have no gateway access.
    and not ${isRemoved(sql`i.account_id`)}`;

export async function findReached(db: Db, connectionId: number): Promise<Reached | undefined> {
  const { rows } = await sql<Reached>`${REACHED} where i.connection_id = ${connectionId}`.execute(db);
  return rows[0];
}

/** Random order, in rounds of one per account: neither permanent errors nor large accounts delay others. */
export async function listUnhooked(
  db: Db,
  of: { gatewayId: number; accountId: string } | null,
  limit: number,
): Promise<Reached[]> {
  const { gatewayId = null, accountId = null } = of ?? {};
  const { rows } = await sql<Reached>`
    ${REACHED} where not g.withdrawn and not ${isSuspended(sql`i.account_id`)} and ${VISIBLE}
      and (g.account_id is not null or ${isOpenTo("gateways", sql`i.account_id`)})
      and (${gatewayId}::bigint is null or g.id = ${gatewayId}) and (${accountId}::uuid is null or i.account_id = ${accountId})
      -- Earlier versions set users' addresses at the operator's servers.
      and (i.hook_state in ('unset', 'failed') or (i.hook_state = 'literal' and (g.reaches_us = 'yes' or g.account_id is null)))
    order by row_number() over (partition by i.account_id order by random()), random() limit ${limit}`.execute(
    db,
  );
  return rows;
}

export async function pruneHooks(db: Db): Promise<void> {
  await sql`update instance set hook_state = 'unset' where hook_state = 'ours'`.execute(db);
}
