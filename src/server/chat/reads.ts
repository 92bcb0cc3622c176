import { sql } from "kysely";

/** SQL rows `id`, `account_id` of conversations. */
export const CHATS = sql`(select id, account_id from chat)`;
