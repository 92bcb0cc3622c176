import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { wake } from "../sending/sending.ts";
import type { Place } from "./arrival.ts";
import { cleanName } from "./incoming.ts";

/** Each question costs WhatsApp traffic: once a day per group, a few per connection and hour. */
const AGAIN_HOURS = 24;
const AT_ONCE = 3;
const HOURLY_MOST = 20;

/** Answered through `groupNamer`; otherwise a group keeps its name or id. */
export async function askGroupNames(
  db: Db,
  { connectionId }: Place,
  chatIds: readonly number[],
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ jid: string }>`
    with lately as (
      select count(*) as asked from chat
      where connection_id = ${connectionId} and subject_asked_at > ${now}::timestamptz - interval '1 hour'),
    due as (
      select c.id from chat c
      where c.id = any(${[...chatIds]}::bigint[]) and c.connection_id = ${connectionId} and c.kind = 'group' and c.jid is not null
        and (c.subject_asked_at is null or c.subject_asked_at < ${now}::timestamptz - ${AGAIN_HOURS} * interval '1 hour')
      order by c.last_at desc limit (select greatest(0, least(${AT_ONCE}, ${HOURLY_MOST} - asked)) from lately))
    update chat set subject_asked_at = ${now} from due where chat.id = due.id returning jid`.execute(db);
  for (const { jid } of rows) await wake(db, connectionId, { groupName: jid });
}

export function groupNamer({ db, changes }: { db: Db; changes: Pick<Changes, "mark"> }) {
  return async ({ accountId, connectionId }: Place, jid: string, reported: string): Promise<void> => {
    const subject = cleanName(reported);
    if (subject === null) return;
    const { rows } = await sql<{ id: number }>`update chat set subject = ${subject}
      where account_id = ${accountId}::uuid and connection_id = ${connectionId} and jid = ${jid} and kind = 'group'
        and subject is distinct from ${subject} returning id`.execute(db);
    for (const { id } of rows) changes.mark(accountId, "chats", id);
  };
}
