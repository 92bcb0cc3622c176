import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

export async function findMade(owner: Owner): Promise<Set<string>> {
  const { rows } = await sql<{ agent_id: string }>`select agent_id from operator_agent
    where account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return new Set(rows.map((row) => row.agent_id));
}

export async function hasMade(owner: Owner, agentId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from operator_agent
    where agent_id = ${agentId} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows.length > 0;
}

export async function noteMade(owner: Owner, agentId: string): Promise<void> {
  await sql`insert into operator_agent (agent_id, account_id) values (${agentId}, ${owner.accountId}::uuid)
    on conflict do nothing`.execute(owner.db);
}

export async function forgetMade(owner: Owner, agentId: string): Promise<void> {
  await sql`delete from operator_agent where agent_id = ${agentId} and account_id = ${owner.accountId}::uuid`.execute(
    owner.db,
  );
}
