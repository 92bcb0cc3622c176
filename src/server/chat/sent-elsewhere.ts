import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

/**
 * What a program, a test or an assistant sent stands in the person's conversation, whose row tells it as the last message: by its time
 * the row has its place in the list. A moment before it, so that the row goes on telling whose it is. Nothing is read by that.
 */
export async function noteSentElsewhere(owner: Owner, outboxId: number): Promise<void> {
  await sql`update chat c set last_at = o.created_at - interval '1 microsecond', last_text = o.text,
      last_kind = case when o.image_id is null then 'text' else 'image' end, last_from_me = true
    from outbox o cross join lateral (
      select id from chat where connection_id = o.connection_id and phone = o.phone
      union all select id from chat where connection_id = o.connection_id and jid = o.jid
      union all select id from chat where connection_id = o.connection_id and lid = o.jid) its
    where o.id = ${outboxId} and o.account_id = ${owner.accountId}::uuid and c.id = its.id
      and c.last_at < o.created_at - interval '1 microsecond'`.execute(owner.db);
}
