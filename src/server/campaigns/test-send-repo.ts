import { type RawBuilder, sql } from "kysely";
import type { Owner } from "../db/owner.ts";

export type TestSendRow = {
  id: number;
  phone: string;
  connection_id: number;
  status: number;
  error: string | null;
  at: Date;
};

async function find(owner: Owner, which: RawBuilder<unknown>): Promise<TestSendRow | undefined> {
  const { rows } = await sql<TestSendRow>`
    select id, phone::text as phone, connection_id, status, error, coalesce(at, created_at) as at from outbox
    where account_id = ${owner.accountId}::uuid and origin = 'test' and ${which}`.execute(owner.db);
  return rows[0];
}

export const findTestSend = (owner: Owner, id: number) => find(owner, sql`id = ${id}`);

export const findTestSendByKey = (owner: Owner, key: string) => find(owner, sql`idempotency_key = ${key}`);

/** Connected or reconnecting, without a person's help. */
export async function isUsable(owner: Owner, connectionId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from connection
    where id = ${connectionId} and account_id = ${owner.accountId}::uuid and desired = 'connected'
      and state in ('connected', 'connecting')`.execute(owner.db);
  return rows.length > 0;
}
