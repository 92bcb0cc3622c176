import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { GatewayCheckState } from "../../contract/gateways.ts";
import { record } from "../audit/service.ts";
import type { OperatorGateway } from "../base/operator-config.ts";
import type { Db } from "../db/client.ts";
import { isOpenTo } from "../db/operator-services.ts";
import type { Owner } from "../db/owner.ts";
import type { Server } from "./server.ts";

export type Check = {
  state: z.infer<typeof GatewayCheckState>;
  version: string | null;
  licenseUrl: string | null;
};

export type GatewayRow = {
  id: number;
  /** Null: the operator's. */
  account_id: string | null;
  name: string;
  url: string;
  api_key: Buffer;
  key_hint: string;
  withdrawn: boolean;
  check_state: Check["state"] | null;
  version: string | null;
  license_url: string | null;
  reaches_us: "unknown" | "yes" | "no";
  checked_at: Date | null;
  created_at: Date;
  instances: number;
};

export const serverOf = ({ url, account_id }: Pick<GatewayRow, "url" | "account_id">): Server => ({
  url,
  provided: account_id === null,
});

export type SealKey = (id: number) => Buffer;

const withdrawnFrom = (account: RawBuilder<unknown>) =>
  sql`(g.withdrawn or g.account_id is null and not ${isOpenTo("gateways", account)})`;

/** Withdrawn ones only while the account has instances there. */
const shownTo = ({ accountId }: Owner) => sql`
  select g.id, g.account_id, g.name, g.url, g.api_key, g.key_hint, w.withdrawn, g.check_state, g.version, g.license_url,
    g.reaches_us, g.checked_at, g.created_at, n.instances
  from gateway g cross join lateral (
    select count(*)::int as instances from instance i join connection c on c.id = i.connection_id
    where i.gateway_id = g.id and i.account_id = ${accountId} and c.desired <> 'removed') n
  cross join lateral (select ${withdrawnFrom(sql`${accountId}::uuid`)} as withdrawn) w
  where (g.account_id = ${accountId} or (g.account_id is null and (not w.withdrawn or n.instances > 0)))`;

export async function hasClosedGateways(owner: Owner): Promise<boolean> {
  const { rows } = await sql`select from gateway g where g.account_id is null and not g.withdrawn
    and not ${isOpenTo("gateways", sql`${owner.accountId}::uuid`)} limit 1`.execute(owner.db);
  return rows.length > 0;
}

export async function listGateways(owner: Owner): Promise<GatewayRow[]> {
  const { rows } = await sql<GatewayRow>`${shownTo(owner)} order by g.created_at desc, g.id desc`.execute(
    owner.db,
  );
  return rows;
}

export async function findGateway(owner: Owner, id: number): Promise<GatewayRow | undefined> {
  const { rows } = await sql<GatewayRow>`${shownTo(owner)} and g.id = ${id}`.execute(owner.db);
  return rows[0];
}

/** Throws the unique violation of (account, url). */
export async function insertGateway(
  tx: Owner,
  { name, url, hint }: { name: string; url: string; hint: string },
  seal: SealKey,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into gateway (account_id, name, url, api_key, key_hint)
    values (${tx.accountId}, ${name}, ${url}, '', ${hint}) returning id`.execute(tx.db);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error("insert answered no row");
  await sql`update gateway set api_key = ${seal(id)} where id = ${id}`.execute(tx.db);
  await record(tx, { kind: "gateway_created", subject: name });
  return id;
}

/**
 * A new address or key resets the check, a new address also tokens, webhooks and stamps. False when they
 * differ from `known`.
 */
export async function updateGateway(
  owner: Owner,
  known: Pick<GatewayRow, "id" | "url" | "api_key">,
  to: { name: string; url: string; key: { sealed: Buffer; hint: string; changed: boolean } },
): Promise<boolean> {
  const { id } = known;
  const { name, url, key } = to;
  return owner.db.transaction().execute(async (tx) => {
    const { numAffectedRows } = await sql`
      update gateway set name = ${name}, reaches_us = case when url = ${url} then reaches_us else 'unknown' end,
        url = ${url}, api_key = ${key.sealed}, key_hint = ${key.hint}
      where id = ${id} and account_id = ${owner.accountId} and url = ${known.url} and api_key = ${known.api_key}`.execute(
      tx,
    );
    if (numAffectedRows === 0n) return false;
    if (url !== known.url || key.changed)
      await record(owner.in(tx), {
        kind: "gateway_changed",
        subject: name,
        ...(url === known.url ? {} : { details: { host: new URL(url).host } }),
      });
    await sql`
      update instance set gateway_url = ${url}, token = null, hook_state = 'unset', state_stamp = null, qr_stamp = null
      where gateway_id = ${id} and account_id = ${owner.accountId} and gateway_url <> ${url}`.execute(tx);
    return true;
  });
}

/** Until the transaction ends no instance can be added. */
export async function holdGateway(tx: Owner, id: number): Promise<void> {
  // Instances first, as a change locks them before the gateway; otherwise deadlock.
  await sql`select from instance where gateway_id = ${id} and account_id = ${tx.accountId} order by connection_id for update`.execute(
    tx.db,
  );
  await sql`select 1 from gateway where id = ${id} and account_id = ${tx.accountId} for update`.execute(
    tx.db,
  );
}

export async function deleteGateway(owner: Owner, id: number): Promise<void> {
  await sql`delete from gateway where id = ${id} and account_id = ${owner.accountId}`.execute(owner.db);
}

/** The caller has read the row. */
export async function storeCheck(db: Db, id: number, { state, version, licenseUrl }: Check): Promise<void> {
  await sql`
    update gateway set check_state = ${state}, license_url = ${licenseUrl}, checked_at = now(),
      -- Keeps the last known version.
      version = case when ${state} = 'ok' then ${version} else coalesce(${version}, version) end
    where id = ${id}`.execute(db);
}

export async function storeReach(db: Db, id: number, reaches: GatewayRow["reaches_us"]): Promise<void> {
  await sql`update gateway set reaches_us = ${reaches} where id = ${id} and reaches_us <> ${reaches}`.execute(
    db,
  );
}

/** Keeps an event of the same moment. */
export async function storeUnreached(db: Db, id: number): Promise<void> {
  await sql`update gateway set reaches_us = 'no' where id = ${id} and reaches_us = 'unknown'`.execute(db);
}

export async function readReach(db: Db, id: number): Promise<GatewayRow["reaches_us"] | undefined> {
  const { rows } = await sql<Pick<GatewayRow, "reaches_us">>`
    select reaches_us from gateway where id = ${id}`.execute(db);
  return rows[0]?.reaches_us;
}

export type OperatorRow = { id: number; name: string; url: string; api_key: Buffer; withdrawn: boolean };

export async function listOperatorGateways(db: Db): Promise<OperatorRow[]> {
  const { rows } = await sql<OperatorRow>`
    select id, name, url, api_key, withdrawn from gateway where account_id is null order by id`.execute(db);
  return rows;
}

export async function upsertOperatorGateways(
  db: Db,
  gateways: readonly OperatorGateway[],
  seal: (id: number, apiKey: string) => { sealed: Buffer; hint: string },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Several processes start at once.
    await sql`select pg_advisory_xact_lock(hashtextextended('operator gateways', 0))`.execute(tx);
    await sql`
      update gateway set withdrawn = true
      where account_id is null and url <> all(${gateways.map(({ url }) => url)}::text[])`.execute(tx);
    for (const { name, url, apiKey } of gateways) {
      const { rows } = await sql<{ id: number }>`
        insert into gateway (account_id, name, url, api_key, key_hint) values (null, ${name}, ${url}, '', '')
        on conflict (url) where account_id is null do update set name = excluded.name, withdrawn = false
        returning id`.execute(tx);
      const id = rows[0]?.id;
      if (id === undefined) throw new Error("upsert answered no row");
      const { sealed, hint } = seal(id, apiKey);
      await sql`update gateway set api_key = ${sealed}, key_hint = ${hint} where id = ${id}`.execute(tx);
    }
  });
}
