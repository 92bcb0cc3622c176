import { sql } from "kysely";
import { limitOn } from "../db/account-limits.ts";

/** SQL, one row: assistants' jobs of all accounts. */
export const JOBS = sql<{
  queued: number;
  active: number;
}>`select count(*) filter (where taken_until is null)::int as queued,
  count(*) filter (where taken_until is not null)::int as active from answer_job`;

/** Of the account's day. */
export const CALLS_A_DAY = limitOn(
  "agent_calls_a_day",
  sql`(select coalesce(sum(calls), 0) from agent_calls
    where account_id = a.id and day = (now() at time zone a.time_zone)::date)`,
);

export const OPERATOR_AGENTS = limitOn(
  "operator_agents",
  sql`(select count(*) from operator_agent where account_id = a.id)`,
);
