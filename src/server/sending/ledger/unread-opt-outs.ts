import { sql } from "kysely";
import { addressKey } from "../../../domain/chat-id.ts";
import type { Prepared } from "../../db/client.ts";
import type { Address } from "../../transports/transport.ts";
import { LANE_CHANNEL, UNREAD } from "./signals.ts";

export type Reachable = { phone: string; address: Address | null };

/**
 * SQL: an unread event of one of these addresses (text[]) may be an opt-out. Its webhook got 200: from then
 * on nothing more may leave.
 */
export const isUnread = (account: string, addresses: string) =>
  `exists (select from unread_leaving u where u.account_id = ${account} and u.address = any(${addresses}::text[]))`;

/** SQL: events that may be an opt-out and are not read yet. */
export const UNREAD_EVENTS = sql`select event_id, account_id, address from unread_leaving`;

/**
 * SQL after `named` (id of the event, account_id, connection_id, address): keeps these people from being
 * written to, under all numbers of a hidden address, and wakes lanes that have them in flight. `more`: numbers
 * known elsewhere (id, account_id, address).
 */
export const keepUnread = (more: string) => `known as (
    select id, account_id, address from named
    union ${more}
    union select n.id, n.account_id, a.phone::text from named n
      join gateway_address a on a.account_id = n.account_id and a.lid = n.address
    union select n.id, n.account_id, a.phone::text from named n join wa_address a on a.lid = n.address),
  kept as (
    insert into unread_leaving (event_id, account_id, address) select id, account_id, address from known returning account_id)
  select pg_notify('${LANE_CHANNEL}', '${UNREAD}:' || account_id) from kept group by account_id`;

const FIND = `select distinct address from unread_leaving where account_id = $1 and address = any($2::text[])`;

export function addressesOf({ phone, address }: Reachable): string[] {
  const known = [address?.jid, address?.lid].flatMap((one) => (one ? (addressKey(one) ?? []) : []));
  return [...new Set([phone, ...known])];
}

export async function findUnread(
  prepared: Prepared,
  accountId: string,
  people: readonly Reachable[],
): Promise<ReadonlySet<string>> {
  const named = people.map((person) => ({ phone: person.phone, addresses: addressesOf(person) }));
  const { rows } = await prepared<{ address: string }>("unread_leaving", FIND, [
    accountId,
    named.flatMap(({ addresses }) => addresses),
  ]);
  if (rows.length === 0) return new Set();
  const unread = new Set(rows.map(({ address }) => address));
  return new Set(
    named.flatMap(({ phone, addresses }) => (addresses.some((one) => unread.has(one)) ? phone : [])),
  );
}
