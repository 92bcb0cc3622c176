import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { OWN_PHONE } from "./reads.ts";

/** Other connections of the account with the same number. */
export async function twinsOf(db: Db, connectionId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`with numbers as (
      select c.id, ${OWN_PHONE} as phone
      from connection c left join instance i on i.connection_id = c.id
      where c.account_id = (select account_id from connection where id = ${connectionId}))
    select twin.id from numbers mine join numbers twin using (phone)
    where mine.id = ${connectionId} and twin.id <> mine.id`.execute(db);
  return rows.map(({ id }) => id);
}
