import { type RawBuilder, sql } from "kysely";

/** SQL: the id of a picture of this account, or null. */
export const ownImage = (account: RawBuilder<unknown>, id: number | null) =>
  sql<number | null>`(select i.id from image i where i.account_id = ${account} and i.id = ${id})`;
