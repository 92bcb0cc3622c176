import { type RawBuilder, sql } from "kysely";
import type { Owner } from "../../db/owner.ts";

/** SQL of chat: there is a conversation with this phone (bigint). */
export type HasChat = (phone: RawBuilder<unknown>) => RawBuilder<boolean>;

export type KnownNames = { phone: string; jid: string; lid: string | null };

/**
 * Owners of these addresses by look-ups, latest last. Devices' results are shared by accounts and hidden
 * addresses protect numbers: only phones the account already has are returned.
 */
export async function findKnownNames(
  owner: Owner,
  connectionId: number,
  addresses: readonly string[],
  hasChat: HasChat,
): Promise<KnownNames[]> {
  if (addresses.length === 0) return [];
  const asked = [...addresses];
  const { rows } = await sql<KnownNames>`select phone::text as phone, jid, lid from (
    select phone, jid, lid, checked_at from gateway_address
    where account_id = ${owner.accountId}::uuid and (lid = any(${asked}) or jid = any(${asked})) and jid is not null
    union all
    select a.phone, a.jid, a.lid, a.checked_at from wa_address a
    where (a.lid = any(${asked}) or a.jid = any(${asked})) and a.jid is not null and (
      ${hasChat(sql`a.phone`)}
      or exists (select 1 from outbox where connection_id = ${connectionId} and phone = a.phone)
      or exists (select 1 from person k where k.account_id = ${owner.accountId}::uuid and k.phone = a.phone)
      or exists (select 1 from campaign c join delivery d on d.campaign_id = c.id and d.phone = a.phone
        where c.account_id = ${owner.accountId}::uuid))) as known
    order by checked_at`.execute(owner.db);
  return rows;
}
