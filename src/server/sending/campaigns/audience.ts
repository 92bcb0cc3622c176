import { type RawBuilder, sql } from "kysely";
import type { Audience } from "../../../domain/audience.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { AppError, type ErrorCode } from "../../../domain/errors.ts";
import type { TypedVariable } from "../../../domain/variables.ts";
import { refuseFull, requireRoom } from "../../db/account-limits.ts";
import type { Database, Db } from "../../db/client.ts";
import { holdErasures } from "../../db/erased-people.ts";
import { isDataError } from "../../db/errors.ts";
import { type Owner, ownerOf } from "../../db/owner.ts";
import { executePrepared } from "../../db/prepared.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { isOptOutOf, WHY_LEFT } from "../ledger/left-out.ts";
import { holdResends, reachedByResend } from "../ledger/resends.ts";
import { wakeLane } from "../ledger/signals.ts";
import { audiencePeople, findMissing, REASON_OF_LINE, readAudience } from "./audience-people.ts";
import { DELIVERIES } from "./campaign-totals.ts";
import { beginCanary } from "./canary.ts";
import { whyMayNotSend } from "./limit.ts";
import { holdOptOuts } from "./opt-out.ts";
import { storeColdPeople } from "./plan-use.ts";
import { leaveOutLacking } from "./values.ts";

/** A start of this size takes under 250 ms and does not wait behind larger ones. */
const SMALL = 20_000;

const SMALL_WAIT = "3s";

/** Of an audience of several lists or segments only its start knows the number. */
const PEOPLE = sql`coalesce(case when c.audience is not null then ${SMALL + 1}::int when c.resends_id is null then (select l.contacts from contact_list l where l.id = c.list_id)
  else (select r.error_count from campaign r where r.id = c.resends_id) end, 0)`;

export type StartSize = "small" | "large";

const SIZES: Record<StartSize, RawBuilder<unknown>> = {
  small: sql`${PEOPLE} <= ${SMALL}`,
  large: sql`${PEOPLE} > ${SMALL}`,
};

const STARTS = sql`c.status = 'starting' and exists (select from account a where a.id = c.account_id and a.removed_at is null)`;

export async function accountsStarting(db: Db, size: StartSize): Promise<string[]> {
  const rows = await executePrepared(
    sql<{ id: string }>`select account_id as id from campaign c where ${STARTS} and ${SIZES[size]}
      group by account_id order by min(c.id)`,
    db,
  );
  return rows.map(({ id }) => id);
}

type Among = { accountId: string; size: StartSize };

type Starting = {
  id: number;
  accountId: string;
  connectionId: number | null;
  connectionName: string | null;
  listId: number | null;
  resendsId: number | null;
  audience: Audience | null;
  variables: TypedVariable[];
};

export type Started = { accountId: string; campaignId: number; total: number };

/**
 * In one transaction: resolves «Conexão padrão», freezes the audience in list order and opens it to its lane.
 * Returns the account to refresh, or null when none waits.
 */
export async function startNext(
  database: Pick<Database, "db" | "session">,
  among?: Among,
): Promise<Started | null> {
  let trying = 0;
  const start = (db: Db) =>
    db.transaction().execute((tx) =>
      startOne(tx, among, (id) => {
        trying = id;
      }),
    );
  // Only a large audience exceeds the statement timeout; sessions without it are few.
  const started = among?.size === "small" ? start(database.db) : database.session(({ db }) => start(db));
  return started.catch(async (error: unknown) => {
    // It would fail at every look, and no other campaign would start.
    if (isDataError(error)) await stopAtStart(database.db, trying, "start_failed");
    if (isAppError(error, "limit_reached")) return stopped(database.db, trying, "deliveries_full");
    if (isAppError(error, "audience_gone")) return stopped(database.db, trying, "audience_gone");
    throw error;
  });
}

const isAppError = (error: unknown, code: ErrorCode) => error instanceof AppError && error.code === code;

/** After the rollback; people decide what to delete or choose. */
async function stopped(db: Db, campaignId: number, cause: string): Promise<Started | null> {
  await stopAtStart(db, campaignId, cause);
  const { rows } = await sql<{ accountId: string }>`select account_id as "accountId" from campaign
    where id = ${campaignId}`.execute(db);
  return rows[0] ? { accountId: rows[0].accountId, campaignId, total: 0 } : null;
}

async function startOne(
  tx: Db,
  among: Among | undefined,
  trying: (campaignId: number) => void,
): Promise<Started | null> {
  // Sessions have no idle limit: a frozen process would keep the campaign locked.
  await sql`set local idle_in_transaction_session_timeout to default`.execute(tx);
  // Another run of the campaign may be starting with a million people: do not wait, try again at the next
  // look.
  if (among?.size === "small") await sql`set local lock_timeout = ${sql.lit(SMALL_WAIT)}`.execute(tx);
  const campaign = await lockNext(tx, among);
  if (!campaign) return null;
  trying(campaign.id);
  const answer = { accountId: campaign.accountId, campaignId: campaign.id, total: 0 };
  // Checked first: a scheduled campaign must not send until the next look at limits.
  const stopped = await whyMayNotSend(tx, campaign.accountId);
  if (stopped) {
    await stopAtStart(tx, campaign.id, stopped);
    return answer;
  }
  const connection = await startingConnection(tx, campaign);
  if ("cause" in connection) {
    await stopAtStart(tx, campaign.id, connection.cause);
    return answer;
  }
  const owner = ownerOf(tx, campaign.accountId);
  const people = await peopleToFreeze(owner, { ...campaign, connectionId: connection.id });
  await refuseFull(owner, DELIVERIES, await peopleOf(tx, campaign));
  const { total, left } = await freeze(tx, campaign, people);
  await requireRoom(owner, DELIVERIES, total);
  if (total === 0) {
    // Failed people may have received the message since, or will by another run.
    if (campaign.resendsId !== null) await endAtStart(tx, campaign.id);
    else await stopAtStart(tx, campaign.id, "list_empty");
    return answer;
  }
  await sql`update campaign set
      connection_id = ${connection.id}, connection_name = ${connection.name}, total = ${total}, pending_count = ${total - left}, skipped_count = ${left},
      status = 'sending', pause_reason = null, started_at = now(), updated_at = now()
    where id = ${campaign.id}`.execute(tx);
  await storeColdPeople(owner, campaign.id, connection.id);
  await beginCanary(tx, campaign.id);
  await wakeLane(tx, connection.id);
  return { ...answer, total };
}

async function lockNext(tx: Db, among: Among | undefined): Promise<Starting | undefined> {
  const which = among ? sql`and c.account_id = ${among.accountId}::uuid and ${SIZES[among.size]}` : sql``;
  const { rows } =
    await sql<Starting>`select id, account_id as "accountId", connection_id as "connectionId", connection_name as "connectionName", list_id as "listId",
      resends_id as "resendsId", audience, variables
    from campaign c where ${STARTS} ${which} order by id limit 1 for no key update of c skip locked`.execute(
      tx,
    );
  return rows[0];
}

async function peopleOf(tx: Db, { listId, resendsId, audience }: Starting): Promise<number> {
  if (resendsId !== null || audience !== null) return 0;
  const { rows } = await sql<{
    contacts: number;
  }>`select contacts from contact_list where id = ${listId}`.execute(tx);
  return rows[0]?.contacts ?? 0;
}

async function stopAtStart(tx: Db, campaignId: number, cause: string): Promise<void> {
  await sql`update campaign set status = 'paused', pause_reason = ${cause}, updated_at = now()
    where id = ${campaignId} and status = 'starting'`.execute(tx);
  await recordCampaigns(tx, "campaign_paused", [campaignId], cause);
}

async function endAtStart(tx: Db, campaignId: number): Promise<void> {
  await sql`update campaign set status = 'ended', pause_reason = null, started_at = now(), ended_at = now(), updated_at = now()
    where id = ${campaignId}`.execute(tx);
}

export async function startingConnection(
  tx: Db,
  campaign: { accountId: string; connectionId: number | null; connectionName: string | null },
): Promise<{ id: number; name: string } | { cause: "connection_removed" | "no_default_connection" }> {
  const chosen = campaign.connectionId !== null || campaign.connectionName !== null;
  // The chosen connection was deleted: another number must not write to these people.
  const gone = chosen && campaign.connectionId === null;
  const found = gone ? null : await connectionOf(tx, campaign);
  return found ?? { cause: chosen ? "connection_removed" : "no_default_connection" };
}

/** Reconnects without help; `use-connection-choice.ts` has the same rule. */
const RETURNS = sql`desired = 'connected' and pairing is not null and (state = 'connecting' or state_reason in ('unreachable', 'server_errors'))`;

export const SERVES_ALL = sql`(is_default or state = 'connected' or ${RETURNS})`;

const PREFERRED = sql`is_default desc, state = 'connected' desc, id`;

/**
 * SQL: id of the connection of campaign `c`, or null; while it starts on «Conexão padrão», the one this
 * resolves to.
 */
export const GOES_THROUGH = sql`coalesce(c.connection_id, case when c.status = 'starting' and c.connection_name is null then (
  select id from connection where account_id = c.account_id and desired <> 'removed' and ${SERVES_ALL}
  order by ${PREFERRED} limit 1) end)`;

/**
 * Order: the campaign's own connection, the default, the first connected, then one that is linked and
 * reconnecting, because a restart must not stop a new campaign. One that waits for a person never serves: it
 * would block messages.
 */
export async function connectionOf(
  tx: Db,
  campaign: { accountId: string; connectionId: number | null },
): Promise<{ id: number; name: string } | null> {
  const own = campaign.connectionId;
  const which = own === null ? SERVES_ALL : sql`id = ${own}`;
  const { rows } = await sql<{ id: number; name: string }>`select id, name from connection
    where account_id = ${campaign.accountId}::uuid and desired <> 'removed' and ${which}
    order by ${PREFERRED} limit 1`.execute(tx);
  return rows[0] ?? null;
}

/** SQL rows `phone`, `name`, `place`, `vars`, `why` (left out). Throws `audience_gone`. */
async function peopleToFreeze(owner: Owner, campaign: Starting): Promise<RawBuilder<unknown>> {
  const { id, resendsId } = campaign;
  if (resendsId !== null)
    return sql`select phone, name, seq as place, vars, null::text as why
      from (${reachedByResend(campaign, resendsId, id)}) reached`;
  const audience = await readAudience(owner, campaign);
  if ("gone" in audience) {
    if (campaign.audience !== null) throw new AppError("audience_gone");
    return NO_PEOPLE;
  }
  // Starts at the same time would not see each other's people.
  if (audience.perWeek !== null)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`campaigns a week of ${owner.accountId}`}, 0))`.execute(
      owner.db,
    );
  return sql`select phone, name, place, vars, ${REASON_OF_LINE} as why from (${audiencePeople(audience)}) judged`;
}

const NO_PEOPLE = sql`select 0::bigint as phone, '' as name, 0 as place, null::jsonb as vars, null as why where false`;

/**
 * Writes the audience with dense seqs from 0 that never change later. People left out (`left` of them) are
 * stored as skipped; in a resend only those who opted out during its start.
 */
async function freeze(
  tx: Db,
  campaign: Starting,
  people: RawBuilder<unknown>,
): Promise<{ total: number; left: number }> {
  await holdErasures(tx, campaign.accountId, "write");
  if (campaign.resendsId !== null) await holdResends(tx, campaign.resendsId);
  const { rows } = await sql<{ total: number; left: number }>`with frozen as (
      insert into delivery (campaign_id, seq, phone, name, vars, status, error, at)
      select ${campaign.id}, row_number() over (order by place) - 1, phone, name, vars,
        case when why is null then ${DELIVERY.pending}::int else ${DELIVERY.skipped}::int end, why,
        case when why is not null then now() end
      from (${people}) as people
      returning status)
    select count(*)::int as total, count(*) filter (where status = ${DELIVERY.skipped})::int as left from frozen`.execute(
    tx,
  );
  const { total, left } = rows[0] ?? { total: 0, left: 0 };
  // A list deleted since it was read would leave out none of its people.
  if (campaign.audience !== null && (await findMissing(ownerOf(tx, campaign.accountId), campaign)) !== null)
    throw new AppError("audience_gone");
  const lacking = await leaveOutLacking(tx, campaign);
  // Taken late: a million people take 30 s, and opt-outs and incoming messages wait for this lock.
  await holdOptOuts(tx, campaign.accountId, "freeze");
  return { total, left: left + lacking + (await leaveOut(tx, campaign)) };
}

/** Returns how many. The planner has no statistics on new rows and would read them all. */
async function leaveOut(tx: Db, { id, accountId }: Starting): Promise<number> {
  const { rows } = await sql<{ left: number }>`with gone as (
      update delivery set status = ${DELIVERY.skipped}, at = now(), error = (
        select ${WHY_LEFT} from opt_out o where ${isOptOutOf(sql`${accountId}::uuid`, sql.ref("delivery.phone"))})
      where status = ${DELIVERY.pending} and ctid = any(array(
        select person.ctid from opt_out o cross join lateral (
          select d.ctid from delivery d where d.campaign_id = ${id} and d.phone = o.phone offset 0) as person
        where o.account_id = ${accountId}::uuid))
      returning 1)
    select count(*)::int as left from gone`.execute(tx);
  return rows[0]?.left ?? 0;
}
