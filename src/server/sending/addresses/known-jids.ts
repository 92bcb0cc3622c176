import { sql } from "kysely";
import type { Owner } from "../../db/owner.ts";

/** SQL rows `jid`: WhatsApp's addresses of a phone, whose digits may differ. */
export const knownJids = ({ accountId }: Owner, phone: string) => sql`
  select jid from wa_address where phone = ${phone}::bigint
  union select jid from gateway_address where account_id = ${accountId}::uuid and phone = ${phone}::bigint`;
