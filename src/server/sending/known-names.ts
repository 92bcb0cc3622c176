import { sql } from "kysely";
import type { Db } from "../db/client.ts";

export type KnownNames = { phone: string; jid: string; lid: string };

/** Whose these hidden addresses are, as far as WhatsApp has told when a number was looked up. The latest answer comes last. */
export async function findKnownNames(db: Db, lids: readonly string[]): Promise<KnownNames[]> {
  if (lids.length === 0) return [];
  const { rows } = await sql<KnownNames>`select phone::text as phone, jid, lid from wa_address
    where lid = any(${[...lids]}) and jid is not null order by checked_at`.execute(db);
  return rows;
}
