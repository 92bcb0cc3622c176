import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";
import { fileReads } from "../files/service.ts";

/** Its time stays just before the message, so the row shows the sender. */
export async function noteElsewhere(owner: Owner, outboxId: number): Promise<void> {
  await sql`update chat c set last_at = o.created_at - interval '1 microsecond', last_text = o.text,
      last_kind = coalesce(replace(${fileReads.kindOf(sql`o.account_id`, sql`o.attachment_id`)}, 'voice', 'audio'), 'text'), last_from_me = true
    from outbox o cross join lateral (
      select id from chat where connection_id = o.connection_id and phone = o.phone
      union all select id from chat where connection_id = o.connection_id and jid = o.jid
      union all select id from chat where connection_id = o.connection_id and lid = o.jid) its
    where o.id = ${outboxId} and o.account_id = ${owner.accountId}::uuid and c.id = its.id
      and c.last_at < o.created_at - interval '1 microsecond'`.execute(owner.db);
}
