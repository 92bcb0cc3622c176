import { sql } from "kysely";
import { ATTACHMENT_BYTES, type AttachmentKind } from "../../domain/attachment.ts";
import type { Clock } from "../../domain/clock.ts";
import type { ReceivedState } from "../../domain/received-file.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { Secrets } from "../db/secrets.ts";
import type { IncomingFile } from "../transports/transport.ts";
import type { Arrival, Place } from "./arrival.ts";
import type { BroughtFile } from "./brought-file.ts";

export const sourcePlace = (connectionId: number, providerId: string) =>
  `received_file/${connectionId}/${providerId}`;

type NoteDeps = { clock: Pick<Clock, "now">; secrets: Pick<Secrets, "seal"> };

/** Of new messages, by their ids; true: some are to be fetched. */
export async function noteFiles(
  { clock, secrets }: NoteDeps,
  { db, accountId }: Owner,
  { connectionId }: Place,
  arrivals: readonly Arrival[],
  ids: ReadonlyMap<string, number>,
): Promise<boolean> {
  const rows = arrivals.flatMap(({ message: { file, providerId }, brought }) => {
    if (!file) return [];
    const { content: _, source, ...said } = file;
    const sealed = source && secrets.seal(source, sourcePlace(connectionId, providerId));
    const state = brought?.state ?? stateOfNew(file);
    return [{ id: ids.get(providerId), state, ...said, source: sealed?.toString("hex") ?? null }];
  });
  if (rows.length === 0) return false;
  await sql`insert into received_file (message_id, account_id, connection_id, state, kind, name, mime, size, seconds, pages, source, at)
    select id, ${accountId}::uuid, ${connectionId}, state, kind, name, mime, size, seconds, pages, decode(source, 'hex'), ${clock.now()}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t(id bigint, state text, kind text, name text, mime text, size bigint,
      seconds double precision, pages int, source text)
    on conflict (message_id) do nothing`.execute(db);
  return rows.some(({ state }) => state === "coming");
}

const stateOfNew = ({ kind, size }: IncomingFile): ReceivedState =>
  (size ?? 0) > ATTACHMENT_BYTES[kind] ? "too_large" : "coming";

export async function noteFile(
  { db, accountId }: Owner,
  messageId: number,
  state: ReceivedState,
  now: Date,
): Promise<void> {
  await sql`update received_file set state = ${state}, at = ${now}
    where message_id = ${messageId} and account_id = ${accountId}::uuid`.execute(db);
}

export type ComingFile = {
  messageId: number;
  kind: AttachmentKind;
  name: string;
  mime: string;
  size: number | null;
  seconds: number | null;
  pages: number | null;
  source: Buffer | null;
  tries: number;
  providerId: string;
};

/** The next that is due; until `until` no other process takes it. */
export async function takeComing(
  db: Db,
  { accountId, connectionId }: Place,
  now: Date,
  until: Date,
): Promise<ComingFile | null> {
  const { rows } = await sql<ComingFile>`
    update received_file f set at = ${until}, tries = f.tries + 1 from chat_message m
    where f.message_id = (
        select message_id from received_file
        where connection_id = ${connectionId} and account_id = ${accountId}::uuid and state = 'coming' and at <= ${now}
        order by at limit 1 for update skip locked)
      and m.id = f.message_id and m.account_id = f.account_id
    returning f.message_id as "messageId", f.kind, f.name, f.mime, f.size, f.seconds, f.pages, f.source, f.tries,
      m.provider_id as "providerId"`.execute(db);
  return rows[0] ?? null;
}

export async function nextDue(db: Db, { accountId, connectionId }: Place): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`select min(at) as at from received_file
    where connection_id = ${connectionId} and account_id = ${accountId}::uuid and state = 'coming'`.execute(
    db,
  );
  return rows[0]?.at ?? null;
}

export async function postponeFile(db: Db, messageId: number, at: Date): Promise<void> {
  await sql`update received_file set at = ${at} where message_id = ${messageId} and state = 'coming'`.execute(
    db,
  );
}

/** Answers its conversation; null: its message is gone, or another process took it over. */
export async function settleFile(
  owner: Owner,
  { messageId, tries }: Pick<ComingFile, "messageId" | "tries">,
  { state, attachmentId }: BroughtFile,
  now: Date,
): Promise<number | null> {
  const { rows } = await sql<{ chatId: number }>`
    with settled as (
      update received_file set state = ${state}, at = ${now}
      where message_id = ${messageId} and account_id = ${owner.accountId}::uuid and state = 'coming' and tries = ${tries}
      returning message_id as id)
    update chat_message m set attachment_id = ${attachmentId} from settled
    where m.id = settled.id and m.account_id = ${owner.accountId}::uuid returning m.chat_id as "chatId"`.execute(
    owner.db,
  );
  return rows[0]?.chatId ?? null;
}

/** Answers its connection, or null where nothing is to be fetched. */
export async function askAgain(
  { db, accountId }: Owner,
  chatId: number,
  messageId: number,
  { now, states }: { now: Date; states: readonly ReceivedState[] },
): Promise<{ connectionId: number } | null> {
  const { rows } = await sql<{ connectionId: number }>`
    with asked as (
      update received_file f set state = 'coming', tries = 0, at = ${now} from chat_message m
      where f.message_id = ${messageId} and f.account_id = ${accountId}::uuid and f.state = any(${[...states]})
        and m.id = f.message_id and m.chat_id = ${chatId}
      returning f.message_id as id)
    update chat_message m set attachment_id = null from asked where m.id = asked.id and m.account_id = ${accountId}::uuid
    returning m.connection_id as "connectionId"`.execute(db);
  return rows[0] ?? null;
}

export type ExpiredFile = { accountId: string; chatId: number; attachmentId: number | null };

export async function expireFiles(db: Db, before: Date, most: number): Promise<ExpiredFile[]> {
  const { rows } = await sql<ExpiredFile>`
    with old as (
      select f.message_id as id from received_file f where f.state = 'here' and f.at < ${before}
      order by f.at limit ${most} for update skip locked),
    expired as (update received_file f set state = 'expired' from old where f.message_id = old.id)
    update chat_message m set attachment_id = null from chat_message was
    where m.id in (select id from old) and was.id = m.id
    returning m.account_id as "accountId", m.chat_id as "chatId", was.attachment_id as "attachmentId"`.execute(
    db,
  );
  return rows;
}
