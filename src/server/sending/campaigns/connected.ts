import { sql } from "kysely";
import { HINDRANCES, UPLOAD_HINDRANCE } from "../../../domain/campaign.ts";
import { HAS_UPLOADS } from "../lane/media.ts";

/** SQL: connection `k` brings the messages of campaign `c` to people now; null without a connection. */
export const CONNECTED = sql<boolean | null>`(k.state = 'connected' and (k.state_reason is null
  or k.state_reason not in (${sql.join([...HINDRANCES, UPLOAD_HINDRANCE].map((cause) => sql.lit(cause)))})
  or k.state_reason = ${sql.lit(UPLOAD_HINDRANCE)} and ${HAS_UPLOADS}))`;
