import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

/** SQL: a connection is linked to WhatsApp. */
export const hasLinked = ({ accountId }: Owner) => sql<boolean>`exists (
  select 1 from connection where account_id = ${accountId}::uuid and desired = 'connected'
    and (state = 'connected' or (state = 'connecting' and pairing is not null)))`;
