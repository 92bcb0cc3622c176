import { addressKey } from "../../../domain/chat-id.ts";
import type { Prepared } from "../../db/client.ts";
import type { Address } from "../../transports/transport.ts";

export type Reachable = { phone: string; address: Address | null };

/**
 * SQL: an unread event of one of these addresses (text[]) may be an opt-out. Its webhook got 200: from then
 * on nothing more may leave.
 */
export const isUnread = (account: string, addresses: string) =>
  `exists (select from unread_leaving u where u.account_id = ${account} and u.address = any(${addresses}::text[]))`;

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
