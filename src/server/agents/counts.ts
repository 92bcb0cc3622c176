import { sql } from "kysely";

/** SQL, one row: assistants' jobs of all accounts. */
export const JOBS = sql<{
  queued: number;
  active: number;
}>`select count(*) filter (where taken_until is null)::int as queued,
  count(*) filter (where taken_until is not null)::int as active from answer_job`;
