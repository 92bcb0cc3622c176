import { sql } from "kysely";
import type { Owner } from "../../db/owner.ts";
import type { NewOutboxMessage } from "./outbox.ts";

export type StoredDirectMessage = {
  id: number;
  connection_id: number;
  /** Null: to a WhatsApp address. */
  phone: string | null;
  text: string;
  attachment_id: number | null;
  origin: NewOutboxMessage["origin"];
  /** `DELIVERY`. */
  status: number;
  error: string | null;
  at: Date;
};

export async function findDirectMessage(
  { db, accountId }: Owner,
  which: { id: number } | { key: string },
): Promise<StoredDirectMessage | undefined> {
  const one = "id" in which ? sql`id = ${which.id}` : sql`idempotency_key = ${which.key}`;
  const { rows } = await sql<StoredDirectMessage>`
    select id, connection_id, phone::text as phone, text, attachment_id, origin, status, error, coalesce(at, created_at) as at
    from outbox where account_id = ${accountId}::uuid and ${one}`.execute(db);
  return rows[0];
}

/** SQL rows `id`, `status`, `error` of all direct messages, to join by id. */
export const OUTCOMES = sql`(select id, status, error from outbox)`;
