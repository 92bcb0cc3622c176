import { sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import type { NewChats } from "../../domain/new-chats.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { sqlParts } from "../sending/sending.ts";

export type State = "connected" | "connecting" | "pending" | "disconnected";

export type ConnectionRow = {
  id: number;
  device_id: string;
  name: string;
  kind: "device" | "instance";
  is_default: boolean;
  desired: "connected" | "disconnected" | "removed";
  state: State;
  cause: string | null;
  state_reason_until: Date | null;
  state_since: Date;
  qr: string | null;
  qr_expires_at: Date | null;
  pairing_code: string | null;
  pairing_code_expires_at: Date | null;
};

const COLUMNS =
  sql.raw(`c.id, c.device_id, c.name, c.kind, c.is_default, c.desired, c.state, c.state_reason as cause, c.state_reason_until, c.state_since,
  case when c.qr_expires_at > now() then c.qr end as qr, c.qr_expires_at,
  case when c.pairing_code_expires_at > now() then c.pairing_code end as pairing_code, c.pairing_code_expires_at`);

/** A connection under removal is visible only to its lane. */
const VISIBLE = sql.raw("c.desired <> 'removed'");

export type ListedRow = ConnectionRow & {
  number: string | null;
  linked: boolean;
  sending: number;
  paused: number;
  scheduled: number;
  names: string[];
  new_chats: NewChats | null;
  now: Date;
};

const LISTED = sql`
  select ${COLUMNS}, case when c.kind = 'device' then c.device_id else substring(c.pairing from '^[0-9]+(?=@)') end as number,
    c.pairing is not null as linked, c.new_chats, now() as now, n.sending, n.paused, n.scheduled, n.names
  from connection c cross join lateral ${sqlParts().stoppedWith} n`;

export async function listConnections(owner: Owner): Promise<ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    ${LISTED} where c.account_id = ${owner.accountId} and ${VISIBLE} order by c.id`.execute(owner.db);
  return rows;
}

export async function findListed(owner: Owner, id: number): Promise<ListedRow | undefined> {
  const { rows } = await sql<ListedRow>`
    ${LISTED} where c.account_id = ${owner.accountId} and c.id = ${id} and ${VISIBLE}`.execute(owner.db);
  return rows[0];
}

export async function findByDeviceId(owner: Owner, deviceId: string): Promise<ConnectionRow | undefined> {
  const { rows } = await sql<ConnectionRow>`
    select ${COLUMNS} from connection c
    where c.account_id = ${owner.accountId} and c.device_id = ${deviceId} and ${VISIBLE}`.execute(owner.db);
  return rows[0];
}

export async function upsertDevice(
  owner: Owner,
  deviceId: string,
  name: string,
  fallback: string,
): Promise<ConnectionRow> {
  const { rows } = await sql<ConnectionRow>`
    insert into connection as c (account_id, kind, device_id, name, desired, state)
    values (${owner.accountId}, 'device', ${deviceId}, ${name || fallback}, 'connected', 'connecting')
    on conflict (account_id, device_id) do update set
      name = case when ${name} = '' then c.name else ${name} end,
      ${WISH_CONNECTED}
    -- Guard: an instance name never has only digits, and must not become a device.
    where c.kind = 'device'
    returning ${COLUMNS}`.execute(owner.db);
  const row = rows[0];
  if (!row) throw new Error("upsert answered no row");
  return row;
}

/** A resting connection is retried only in state `connecting` without a reason. */
const WISH_CONNECTED = sql.raw(`
  desired = 'connected',
  state_since = case when c.state = 'disconnected' then now() else c.state_since end,
  state_reason = case when c.state = 'disconnected' or c.state_reason = 'ending' then null else c.state_reason end,
  state_reason_until = case when c.state = 'disconnected' then null else c.state_reason_until end,
  state = case when c.state = 'disconnected' then 'connecting' else c.state end`);

export async function wishConnected(owner: Owner, id: number, pairingCode: boolean): Promise<boolean> {
  const { rows } = await sql`
    update connection c set ${WISH_CONNECTED}, pairing_code_wanted = c.pairing_code_wanted or ${pairingCode}
    where c.id = ${id} and c.account_id = ${owner.accountId} and ${VISIBLE} returning c.id`.execute(owner.db);
  return rows.length > 0;
}

/** An instance without a number cannot get a pairing code from its gateway. */
export async function lacksNumber(owner: Owner, id: number): Promise<boolean> {
  const { rows } = await sql`select 1 from connection c join instance i on i.connection_id = c.id
    where c.id = ${id} and c.account_id = ${owner.accountId} and ${VISIBLE} and i.number is null`.execute(
    owner.db,
  );
  return rows.length > 0;
}

/** The number may still be linked: its session's end is unknown. */
export const MAY_BE_LINKED: ReadonlySet<string> = new Set(["unreachable", "wrong_key", "license_required"]);

const UNCONFIRMED = sql`(kind = 'instance' and state = 'disconnected' and state_reason = any(${[...MAY_BE_LINKED]}::text[]))`;

export async function wishEnded(
  owner: Owner,
  id: number,
  desired: "disconnected" | "removed",
): Promise<void> {
  await sql`
    update connection set desired = ${desired}, pairing_code_wanted = false, qr = null, qr_expires_at = null,
      pairing_code = null, pairing_code_expires_at = null, is_default = is_default and ${desired} <> 'removed',
      state_since = case when ${UNCONFIRMED} then now() else state_since end,
      state_reason = case when ${UNCONFIRMED} then null else state_reason end,
      state = case when ${UNCONFIRMED} then 'connecting' else state end
    where id = ${id} and account_id = ${owner.accountId}`.execute(owner.db);
}

/** False: no such connection. Throws `undo_too_late` unless it replaces the current default. */
export async function makeDefault(owner: Owner, id: number, insteadOf?: number): Promise<boolean> {
  return owner.db.transaction().execute(async (tx) => {
    // All rows in id order, or concurrent choices would deadlock.
    const locked = await sql<{ id: number; is_default: boolean }>`
      select c.id, c.is_default from connection c where c.account_id = ${owner.accountId} and ${VISIBLE}
      order by c.id for no key update`.execute(tx);
    if (!locked.rows.some((row) => row.id === id)) return false;
    const former = locked.rows.find((row) => row.is_default)?.id;
    if (insteadOf !== undefined && former !== insteadOf) throw new AppError("undo_too_late");
    await sql`update connection set is_default = false where account_id = ${owner.accountId} and is_default`.execute(
      tx,
    );
    await sql`update connection set is_default = true where id = ${id} and account_id = ${owner.accountId}`.execute(
      tx,
    );
    return true;
  });
}

/** A new number of that name would be removed with it. */
export async function isLeaving(owner: Owner, deviceId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from connection
    where account_id = ${owner.accountId} and device_id = ${deviceId} and desired = 'removed'`.execute(
    owner.db,
  );
  return rows.length > 0;
}

export async function exists(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql`select 1 from connection where id = ${id}`.execute(db);
  return rows.length > 0;
}
