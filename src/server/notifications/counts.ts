import { sql } from "kysely";

/** SQL: e-mails of all accounts to be sent, counted up to `most`. */
export const countWaiting = (most: number) =>
  sql<number>`(select count(*)::int from (
    select from mail where sent_at is null and given_up_at is null limit ${most}) q)`;
