import { sql } from "kysely";
import { record } from "../audit/service.ts";
import type { Db } from "../db/client.ts";
import { isOpenTo } from "../db/operator-services.ts";
import type { Owner } from "../db/owner.ts";
import { cleanText } from "../transports/content/own-values.ts";

export type HookState = "unset" | "ours" | "literal" | "failed" | "taken";

/** An instance that is used here, with what its connection knows. */
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

/** One that is being removed is gone for everybody but its lane. */
const VISIBLE = sql.raw("c.desired <> 'removed'");

export async function listInstances(owner: Owner, gatewayId: number): Promise<InstanceRow[]> {
  const { rows } = await sql<InstanceRow>`
    ${SELECTED} where i.account_id = ${owner.accountId} and i.gateway_id = ${gatewayId} and ${VISIBLE} order by i.connection_id`.execute(
    owner.db,
  );
  return rows;
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

/** Whoever has this instance of this server, also one who is giving it up. */
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

/** Seals at the places of the connection's row. */
export type SealInstance = (connectionId: number) => { token: Buffer | null; hookSecret: Buffer };

/** What the REST interface would read as a phone's number. */
const PHONE_LIKE = /^[\d\s().+\-/]+$/;

/**
 * The connection and its instance, in the transaction of `owner`. Throws the unique violation of (gateway_url, name): one instance of one
 * server belongs to one account. A name of digits, or one that the account uses already, gets its server's number behind it: the
 * connection's name in the REST interface must never be taken for a phone's.
 */
export async function insertInstance(tx: Owner, row: NewRow, seal: SealInstance): Promise<number> {
  const { gatewayId, name } = row;
  const { rows } = await sql<{ id: number }>`
    insert into connection (account_id, kind, device_id, name, desired, state)
    select ${tx.accountId}::uuid, 'instance',
      case when ${PHONE_LIKE.test(name)} or exists (select 1 from connection where account_id = ${tx.accountId} and device_id = ${name})
        then ${`${name}@${gatewayId}`} else ${name} end,
      ${name}, 'connected', 'connecting'
    returning id`.execute(tx.db);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error("insert answered no row");
  const { token, hookSecret } = seal(id);
  await sql`
    insert into instance (connection_id, account_id, gateway_id, gateway_url, name, integration, token, number, hook_id,
      hook_secret, hook_state, relay_url)
    values (${id}, ${tx.accountId}, ${gatewayId}, ${row.gatewayUrl}, ${name}, ${row.integration}, ${token}, ${row.number},
      ${row.hookId}, ${hookSecret}, ${row.hookState}, ${row.relayUrl})`.execute(tx.db);
  return id;
}

/** Of what a gateway says, so much is kept. */
const LONGEST = 2_000;

/** What the gateway says of an instance; what it leaves out stays. */
export type Facts = { phone: string | null; profileName: string | null; pictureUrl: string | null };

export async function storeFacts(db: Db, connectionId: number, facts: Facts): Promise<void> {
  const clean = (text: string | null) => text && cleanText(text, LONGEST);
  await sql`
    update instance set phone = coalesce(${facts.phone}::bigint, phone),
      profile_name = coalesce(${clean(facts.profileName)}, profile_name),
      picture_url = coalesce(${clean(facts.pictureUrl)}, picture_url)
    where connection_id = ${connectionId}`.execute(db);
}

/** An instance that was made anew at its server has another key, and no webhook of ours: the server's key opens it. */
export async function forgetToken(db: Db, connectionId: number): Promise<void> {
  await sql`update instance set token = null, hook_state = 'unset' where connection_id = ${connectionId}`.execute(
    db,
  );
}

export async function storeHook(db: Db, connectionId: number, state: HookState): Promise<void> {
  await sql`update instance set hook_state = ${state} where connection_id = ${connectionId}`.execute(db);
}

/** `taker`: the address that stands there now; it may be passed on to. False: it was set anew meanwhile. */
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

/** Another address has not been tried yet. Noted with it, as what is told to the instance goes out of the house there. */
export async function storeRelay(
  owner: Owner,
  { connectionId, name }: { connectionId: number; name: string },
  url: string | null,
): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    if (await setRelay(owner.in(tx), connectionId, url)) await noteRelay(owner.in(tx), name, url);
  });
}

/** Of the address its host alone: the rest may be what lets its holder in. */
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

/** An instance with the server it lives on, of whichever account: for its lane and for jobs. */
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
  /** The server is the account's, not the operator's. */
  own: boolean;
};

const REACHED = sql`
  select i.connection_id, i.account_id, i.gateway_id, i.name, i.integration, i.number, i.phone::text as phone, i.token, i.hook_id,
    i.hook_secret, i.hook_state, i.relay_url, g.url, g.api_key, g.reaches_us,
    (g.withdrawn or g.account_id is null and not ${isOpenTo("gateways", sql`i.account_id`)}) as withdrawn,
    g.account_id is not null as own
  from instance i join gateway g on g.id = i.gateway_id join connection c on c.id = i.connection_id
    -- For a deleted account nobody speaks any more: its instances are let go as they are, whoever has their lanes until they are gone.
    join account a on a.id = i.account_id and a.removed_at is null`;

export async function findReached(db: Db, connectionId: number): Promise<Reached | undefined> {
  const { rows } = await sql<Reached>`${REACHED} where i.connection_id = ${connectionId}`.execute(db);
  return rows[0];
}

/**
 * Instances whose webhook is not what it should be, of everybody or of an account at one server, by chance: those that fail for ever must
 * not keep the others waiting. Of each account one first, then of each a second, so that none with a thousand of them crowds out others.
 */
export async function listUnhooked(
  db: Db,
  of: { gatewayId: number; accountId: string } | null,
  limit: number,
): Promise<Reached[]> {
  const { gatewayId = null, accountId = null } = of ?? {};
  const { rows } = await sql<Reached>`
    ${REACHED} where not g.withdrawn and a.suspended_at is null and ${VISIBLE}
      and (g.account_id is not null or ${isOpenTo("gateways", sql`i.account_id`)})
      and (${gatewayId}::bigint is null or g.id = ${gatewayId}) and (${accountId}::uuid is null or i.account_id = ${accountId})
      -- Earlier versions set people's own addresses at the operator's servers as well: the next run sets ours instead.
      and (i.hook_state in ('unset', 'failed') or (i.hook_state = 'literal' and (g.reaches_us = 'yes' or g.account_id is null)))
    order by row_number() over (partition by i.account_id order by random()), random() limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Our own address changed: every webhook that names the old one has to be set anew. */
export async function forgetHooks(db: Db): Promise<void> {
  await sql`update instance set hook_state = 'unset' where hook_state = 'ours'`.execute(db);
}
