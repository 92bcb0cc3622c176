import { sql } from "kysely";
import { limitOn } from "../db/account-limits.ts";

/** SQL: e-mails of all accounts to be sent, counted up to `most`. */
export const countWaiting = (most: number) =>
  sql<number>`(select count(*)::int from (
    select from mail where sent_at is null and given_up_at is null limit ${most}) q)`;

export const LETTERS_AN_HOUR = limitOn(
  "letters_an_hour",
  sql`(select count(*) from mail where account_id = a.id and not urgent and sent_at > now() - interval '1 hour')`,
);
