import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";
import { directMessagesOf, type StoredDirectMessage } from "../sending/sending.ts";

export type TestSendRow = StoredDirectMessage & { phone: string };

export async function findTestSend(
  owner: Owner,
  which: { id: number } | { key: string },
): Promise<TestSendRow | undefined> {
  const found = await directMessagesOf(owner).find(which);
  return found?.origin === "test" && found.phone !== null ? { ...found, phone: found.phone } : undefined;
}

/** Connected or reconnecting, without a person's help. */
export async function isUsable(owner: Owner, connectionId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from connection
    where id = ${connectionId} and account_id = ${owner.accountId}::uuid and desired = 'connected'
      and state in ('connected', 'connecting')`.execute(owner.db);
  return rows.length > 0;
}
