import { addressKey } from "../../../domain/chat-id.ts";
import type { Prepared } from "../../db/client.ts";
import type { Address } from "../../transports/transport.ts";

/** A person of a campaign and what is known of their address. */
export type Reachable = { phone: string; address: Address | null };

/**
 * SQL that is true where a person of the account, by one of these addresses (text[]), may have asked to leave in an event that is not
 * read yet. The event's webhook was answered 200: from then on they get no message that is not on the wire.
 */
export const isUnread = (account: string, addresses: string) =>
  `exists (select from unread_leaving u where u.account_id = ${account} and u.address = any(${addresses}::text[]))`;

const FIND = `select distinct address from unread_leaving where account_id = $1 and address = any($2::text[])`;

/** All that an unread event may call a person, as `unread_leaving` has it. */
export function addressesOf({ phone, address }: Reachable): string[] {
  const known = [address?.jid, address?.lid].flatMap((one) => (one ? (addressKey(one) ?? []) : []));
  return [...new Set([phone, ...known])];
}

/** The phones of those who may have asked to leave in an event that is not read yet. */
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
