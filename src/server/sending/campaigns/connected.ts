import { sql } from "kysely";
import { HINDRANCES, IMAGE_HINDRANCE } from "../../../domain/campaign.ts";
import { HAS_IMAGE } from "../lane/media.ts";

/** SQL: connection `k` brings the messages of campaign `c` to people now; null without a connection. */
export const CONNECTED = sql<boolean | null>`(k.state = 'connected' and (k.state_reason is null
  or k.state_reason not in (${sql.join([...HINDRANCES, IMAGE_HINDRANCE].map((cause) => sql.lit(cause)))})
  or k.state_reason = ${sql.lit(IMAGE_HINDRANCE)} and (c.image_id is null or ${HAS_IMAGE})))`;
