import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

type ReplyRow = {
  id: number;
  chat_id: number;
  connection_id: number;
  text: string;
  /** Microseconds since 1970. */
  us: number;
};

/** At all connections, without reactions, newest first. */
export async function findReplies(
  owner: Owner,
  phone: string,
  before: { us: number; id: number } | null,
  limit: number,
): Promise<ReplyRow[]> {
  const older =
    before === null
      ? sql`true`
      : sql`(m.at, m.id) < (timestamptz 'epoch' + ${before.us}::bigint * interval '1 microsecond', ${before.id}::bigint)`;
  const { rows } = await sql<ReplyRow>`
    select m.id, c.id as chat_id, c.connection_id, m.text, (extract(epoch from m.at) * 1000000)::bigint as us
    from connection k join chat c on c.connection_id = k.id and c.phone = ${phone}::bigint
    cross join lateral (
      select m.id, m.text, m.at from chat_message m
      where m.chat_id = c.id and not m.from_me and m.kind <> 'reaction' and ${older}
      order by m.at desc, m.id desc limit ${limit}) m
    where k.account_id = ${owner.accountId}::uuid and k.desired <> 'removed' and c.account_id = k.account_id
    order by m.at desc, m.id desc limit ${limit}`.execute(owner.db);
  return rows;
}
