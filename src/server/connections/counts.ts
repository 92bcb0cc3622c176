import { sql } from "kysely";
import { limitOn } from "../db/account-limits.ts";
import type { Owner } from "../db/owner.ts";
import { isSuspended } from "../db/suspended.ts";

/** SQL: a connection is linked to WhatsApp. */
export const hasLinked = ({ accountId }: Owner) => sql<boolean>`exists (
  select 1 from connection where account_id = ${accountId}::uuid and desired = 'connected'
    and (state = 'connected' or (state = 'connecting' and pairing is not null)))`;

/** SQL: connections of all accounts by state. */
export const BY_STATE = sql<{ state: string; n: number }>`select state, count(*)::int as n from connection
  where desired <> 'removed' and not ${isSuspended(sql.ref("account_id"))} group by state`;

export const NUMBERS = limitOn(
  "numbers",
  sql`(select count(*) from connection where account_id = a.id and kind = 'device' and desired <> 'removed')`,
);

export const INSTANCES = limitOn(
  "instances",
  sql`(select count(*) from connection where account_id = a.id and kind = 'instance' and desired <> 'removed')`,
);
