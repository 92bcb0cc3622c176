import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";
import { executePrepared } from "../db/prepared.ts";

export async function readZone(owner: Owner): Promise<string | undefined> {
  const rows = await executePrepared(
    sql<{ zone: string }>`select time_zone as zone from account
    where id = ${owner.accountId}::uuid`,
    owner.db,
  );
  return rows[0]?.zone;
}
