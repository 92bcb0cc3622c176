import { sql } from "kysely";
import { BELOW_TEXT } from "../../../domain/leave-hint.ts";

/** SQL of campaign `c`; before names and values. */
export const OUTGOING_TEXT_SQL = `(case when c.leave_hint then c.text || '${BELOW_TEXT}' else c.text end)`;

export const OUTGOING_TEXT = sql.raw<string>(OUTGOING_TEXT_SQL);
