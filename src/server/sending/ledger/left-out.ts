import { sql } from "kysely";
import type { Owner } from "../../db/owner.ts";
import type { LeftOut } from "./signals.ts";

export const WHY_LEFT = sql<LeftOut>`(case when o.source = 'asked' then 'asked_to_leave' else 'opted_out' end)`;

export async function whyLeftOut(owner: Owner, phone: string): Promise<LeftOut | null> {
  const { rows } = await sql<{ why: LeftOut }>`select ${WHY_LEFT} as why from opt_out o
    where o.account_id = ${owner.accountId}::uuid and o.phone = ${phone}::bigint`.execute(owner.db);
  return rows[0]?.why ?? null;
}
