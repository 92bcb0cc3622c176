import { type RawBuilder, sql } from "kysely";
import type { Owner } from "../db/owner.ts";

/** SQL: phones of the hidden addresses in `named` (id, account_id, connection_id, address), by their chats. */
export const PHONES_OF_NAMED = `select n.id, n.account_id, c.phone::text from named n
      join chat c on c.connection_id = n.connection_id and c.lid = n.address where c.phone is not null`;

/** SQL: the connection has a chat with this phone (bigint). */
export const hasChat = (connectionId: number) => (phone: RawBuilder<unknown>) =>
  sql<boolean>`exists (select 1 from chat where connection_id = ${connectionId} and phone = ${phone})`;

/** SQL: the same of any connection of the account. */
export const hasAnyChat =
  ({ accountId }: Owner) =>
  (phone: RawBuilder<unknown>) =>
    sql<boolean>`exists (select from connection k join chat c on c.connection_id = k.id and c.phone = ${phone}
    where k.account_id = ${accountId}::uuid and k.desired <> 'removed')`;
