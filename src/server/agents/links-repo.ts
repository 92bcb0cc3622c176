import { sql } from "kysely";
import { connectionReads } from "../connections/service.ts";
import type { Owner } from "../db/owner.ts";

export type LinkRow = {
  connection_id: number;
  agent_id: string;
  agent_name: string;
  active: boolean;
  pause_minutes: number;
  linked_at: Date;
};

const COLUMNS = sql.raw("l.connection_id, l.agent_id, l.agent_name, l.active, l.pause_minutes, l.linked_at");
/** Connections being removed are hidden. */
const FROM = sql`assistant_link l
  join ${connectionReads.LIVING} c on c.id = l.connection_id and c.account_id = l.account_id`;

export async function listLinks(owner: Owner): Promise<LinkRow[]> {
  const { rows } = await sql<LinkRow>`select ${COLUMNS} from ${FROM}
    where l.account_id = ${owner.accountId}::uuid order by l.connection_id`.execute(owner.db);
  return rows;
}

export async function findLink(owner: Owner, connectionId: number): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`select ${COLUMNS} from ${FROM}
    where l.account_id = ${owner.accountId}::uuid and l.connection_id = ${connectionId}`.execute(owner.db);
  return rows[0];
}

export async function hasConnection(owner: Owner, connectionId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from ${connectionReads.LIVING} c
    where c.id = ${connectionId} and c.account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows.length > 0;
}

/**
 * An agent already linked (`known`) stays unchanged. Null without such a connection. Its transaction's time
 * becomes the link's, so it needs its own.
 */
export async function storeLink(
  tx: Owner,
  connectionId: number,
  agent: { id: string; name: string },
): Promise<"linked" | "known" | null> {
  const { rows } = await sql<{
    fresh: boolean;
  }>`insert into assistant_link as l (connection_id, account_id, agent_id, agent_name)
    select c.id, c.account_id, ${agent.id}, ${agent.name} from ${connectionReads.LIVING} c
    where c.id = ${connectionId} and c.account_id = ${tx.accountId}::uuid
    on conflict (connection_id) do update set agent_id = excluded.agent_id, agent_name = excluded.agent_name, active = true,
      linked_at = case when l.active and l.agent_id = excluded.agent_id then l.linked_at else now() end
    returning linked_at = now() as fresh`.execute(tx.db);
  const [row] = rows;
  if (!row) return null;
  return row.fresh ? "linked" : "known";
}

/** Messages before reactivation are not answered. False when another agent is linked. */
export async function updateLink(
  owner: Owner,
  connectionId: number,
  agentId: string,
  { active = null, pauseMinutes = null }: { active?: boolean | null; pauseMinutes?: number | null },
): Promise<boolean> {
  const { rows } = await sql`update assistant_link set
      linked_at = case when ${active}::boolean and not active then now() else linked_at end,
      active = coalesce(${active}, active), pause_minutes = coalesce(${pauseMinutes}, pause_minutes)
    where connection_id = ${connectionId} and account_id = ${owner.accountId}::uuid and agent_id = ${agentId}
    returning connection_id`.execute(owner.db);
  return rows.length > 0;
}

export type LinkCopy = Readonly<Record<string, unknown>>;

/** Returns the removed row; undefined if none. */
export async function deleteLink(owner: Owner, connectionId: number): Promise<LinkCopy | undefined> {
  const { rows } = await sql<{ copy: LinkCopy }>`delete from assistant_link l
    where l.connection_id = ${connectionId} and l.account_id = ${owner.accountId}::uuid returning to_jsonb(l) as copy`.execute(
    owner.db,
  );
  return rows[0]?.copy;
}

/** False when another agent is linked or the connection is gone. */
export async function restoreLink(owner: Owner, connectionId: number, copy: LinkCopy): Promise<boolean> {
  const { rows } = await sql`insert into assistant_link
    select l.* from ${connectionReads.LIVING} c,
      jsonb_populate_record(null::assistant_link, ${JSON.stringify(copy)}::jsonb || jsonb_build_object(
        'connection_id', c.id, 'account_id', c.account_id)) l
    where c.id = ${connectionId} and c.account_id = ${owner.accountId}::uuid
    on conflict (connection_id) do nothing returning connection_id`.execute(owner.db);
  return rows.length > 0;
}

/** Returns the connections where it was active. */
export async function deactivateAgent(
  owner: Owner,
  agentId: string,
): Promise<{ connectionId: number; name: string }[]> {
  const { rows } = await sql<{
    connectionId: number;
    name: string;
  }>`update assistant_link set active = false
    where agent_id = ${agentId} and account_id = ${owner.accountId}::uuid and active
    returning connection_id as "connectionId", agent_name as name`.execute(owner.db);
  return rows;
}

export async function renameAgent(owner: Owner, agentId: string, name: string): Promise<void> {
  await sql`update assistant_link set agent_name = ${name}
    where agent_id = ${agentId} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
}
