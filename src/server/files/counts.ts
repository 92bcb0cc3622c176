import { sql } from "kysely";
import { limitOn } from "../db/account-limits.ts";

export const STORED_BYTES = limitOn(
  "stored_bytes",
  sql`(select coalesce(sum(size), 0) from attachment where account_id = a.id)`,
);
