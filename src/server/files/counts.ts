import { sql } from "kysely";
import { limitOn } from "../db/account-limits.ts";

export const STORED_BYTES = limitOn(
  "stored_bytes",
  sql`(select coalesce(sum(octet_length(bytes)), 0) from image where account_id = a.id)`,
);
