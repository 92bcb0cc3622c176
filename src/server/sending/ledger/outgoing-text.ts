import { sql } from "kysely";
import { BELOW_TEXT, LEAVE_HINT } from "../../../domain/leave-hint.ts";

/** SQL of campaign `c`; before names and values. */
export const OUTGOING_TEXT_SQL = `(case when not c.leave_hint then c.text
  when c.text = '' then '${LEAVE_HINT}' else c.text || '${BELOW_TEXT}' end)`;

export const OUTGOING_TEXT = sql.raw<string>(OUTGOING_TEXT_SQL);
