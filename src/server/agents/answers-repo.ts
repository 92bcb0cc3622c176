import { type RawBuilder, sql } from "kysely";
import type { AnswerReason } from "../../domain/answering.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";

export type AnswerRow = {
  id: number;
  chat_id: number;
  chat_name: string;
  agent_name: string;
  state: "thinking" | "sent" | "failed" | "skipped";
  reason: AnswerReason | null;
  text: string | null;
  question: string;
  created_at: Date;
  finished_at: Date | null;
  /** What became of the message, where there is one. */
  sent_status: number | null;
  sent_error: string | null;
};

export type NewAnswer = {
  connectionId: number;
  chatId: number;
  chatName: string;
  messageId: number;
  question: string;
  agentId: string;
  agentName: string;
};

/**
 * Begins to answer a message, or takes up what was begun and not finished; `tries` counts the beginnings. Null: it is finished, or the
 * chat is gone.
 */
export async function beginAnswer(
  owner: Owner,
  answer: NewAnswer,
): Promise<{ id: number; tries: number } | null> {
  const { rows } = await sql<{
    id: number;
    tries: number;
  }>`${inserted(owner, answer, sql`'thinking', null, null, 1`)}
    on conflict (chat_id, message_id) do update set tries = agent_answer.tries + 1 where agent_answer.state = 'thinking'
    returning id, tries`.execute(owner.db);
  return rows[0] ?? null;
}

/** Leaves a trace of why a message is not answered. False when there is one of it already. */
export async function skipAnswer(owner: Owner, answer: NewAnswer, reason: AnswerReason): Promise<boolean> {
  const { rows } = await sql`${inserted(owner, answer, sql`'skipped', ${reason}, now(), 0`)}
    on conflict (chat_id, message_id) do update set state = 'skipped', reason = ${reason}, finished_at = now()
      where agent_answer.state = 'thinking'
    returning id`.execute(owner.db);
  return rows.length > 0;
}

const inserted = (owner: Owner, answer: NewAnswer, end: RawBuilder<unknown>) => {
  const { connectionId, chatId, chatName, messageId, question, agentId, agentName } = answer;
  return sql`insert into agent_answer
      (account_id, connection_id, chat_id, chat_name, message_id, question, agent_id, agent_name, state, reason, finished_at, tries)
    select c.account_id, ${connectionId}, c.id, ${chatName}, ${messageId}, ${question}, ${agentId}, ${agentName}, ${end}
    from chat c where c.id = ${chatId} and c.account_id = ${owner.accountId}::uuid`;
};

/**
 * Holds an answer until the end of the transaction. Answers its chat, which may be another one by now: two turned out to be one person's.
 * Null when it is finished: somebody else came first. The rows above are held before it, as whoever deletes them does.
 */
export async function lockThinking(owner: Owner, connectionId: number, id: number): Promise<number | null> {
  await sql`select 1 from account where id = ${owner.accountId}::uuid for key share`.execute(owner.db);
  await sql`select 1 from connection where id = ${connectionId} for key share`.execute(owner.db);
  // Whoever ends the link meanwhile waits, and then finds the answer in the outbox, to withdraw it.
  await sql`select 1 from assistant_link where connection_id = ${connectionId} for share`.execute(owner.db);
  const { rows } = await sql<{ chat: number }>`select chat_id as chat from agent_answer
    where id = ${id} and account_id = ${owner.accountId}::uuid and state = 'thinking' for update`.execute(
    owner.db,
  );
  return rows[0]?.chat ?? null;
}

export type AnswerEnd =
  | { state: "sent"; text: string; outboxId: number }
  | { state: "failed" | "skipped"; reason: AnswerReason };

/** Ends an answer that is being thought about; one that ended stays as it is. */
export async function endAnswer(owner: Owner, id: number, end: AnswerEnd): Promise<void> {
  const { reason, text, outboxId } =
    end.state === "sent" ? { ...end, reason: null } : { reason: end.reason, text: null, outboxId: null };
  await sql`update agent_answer set state = ${end.state}, reason = ${reason}, text = ${text}, outbox_id = ${outboxId},
      finished_at = now()
    where id = ${id} and account_id = ${owner.accountId}::uuid and state = 'thinking'`.execute(owner.db);
}

/** Why it takes longer: shown while it is tried again. */
export async function noteRetry(owner: Owner, id: number, reason: AnswerReason): Promise<void> {
  await sql`update agent_answer set reason = ${reason}
    where id = ${id} and account_id = ${owner.accountId}::uuid and state = 'thinking'`.execute(owner.db);
}

const asksBefore = (before: number | undefined) =>
  before === undefined ? sql`` : sql`and message_id < ${before}`;

/** Whatever is being thought about in a chat (`before`: of messages stored before this one), but the answer to one message, is not sent any more. */
export async function dropThinking(
  owner: Owner,
  chatId: number,
  { but, reason, before }: { but: number | null; reason: AnswerReason; before?: number | undefined },
): Promise<void> {
  await sql`update agent_answer set state = 'skipped', reason = ${reason}, finished_at = now()
    where chat_id = ${chatId} and account_id = ${owner.accountId}::uuid and state = 'thinking'
      and message_id is distinct from ${but} ${asksBefore(before)}`.execute(owner.db);
}

/** An answer that was given: to which message, and as which message of the outbox. */
export type Given = { message_id: number; outbox_id: number; created_at: Date };

/** What was answered in a chat, the newest first, as many as one reads of it. */
export async function findGiven(owner: Owner, chatId: number, limit: number): Promise<Given[]> {
  const { rows } = await sql<Given>`select message_id, outbox_id, created_at from agent_answer
    where chat_id = ${chatId} and account_id = ${owner.accountId}::uuid and state = 'sent'
    order by id desc limit ${limit}`.execute(owner.db);
  return rows;
}

/** Messages of a chat that Mistral was asked about since then, whatever came of it; without the one that is being thought about. */
export async function countAsked(owner: Owner, chatId: number, since: Date): Promise<number> {
  const { rows } = await sql<{ asked: number }>`select count(*)::int as asked from agent_answer
    where chat_id = ${chatId} and account_id = ${owner.accountId}::uuid and tries > 0 and state <> 'thinking'
      and created_at > ${since}`.execute(owner.db);
  return rows[0]?.asked ?? 0;
}

/**
 * The messages of the outbox by which a chat was answered within the hour: what has waited for longer is sent no more. `before`: those
 * that answer messages stored before this one.
 */
export async function findFreshAnswers(owner: Owner, chatId: number, before?: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select outbox_id as id from agent_answer
    where chat_id = ${chatId} and account_id = ${owner.accountId}::uuid and state = 'sent'
      and finished_at > now() - interval '1 hour' ${asksBefore(before)}`.execute(owner.db);
  return rows.map(({ id }) => id);
}

/**
 * True when a phone is a number of this installation, of whichever account, where an assistant answers. Of other accounts only where it
 * is proved, by WhatsApp or through a server of the operator's: anybody can type a number, or have their own server say so.
 */
export async function isAgentsPhone(owner: Owner, phone: string): Promise<boolean> {
  const { rows } = await sql`select 1 from assistant_link l
      join connection c on c.id = l.connection_id
      left join instance i on i.connection_id = c.id
      left join gateway g on g.id = i.gateway_id
    where l.active and c.desired <> 'removed'
      and ((c.kind = 'device' and c.device_id = ${phone}) or i.phone = ${phone}::bigint)
      and (c.account_id = ${owner.accountId}::uuid
        or (c.state = 'connected' and (c.kind = 'device' or g.account_id is null))) limit 1`.execute(
    owner.db,
  );
  return rows.length > 0;
}

/**
 * True when the account has the same number linked a second time (as a device and at a gateway, or at two gateways) and an assistant on at
 * that connection, which is connected and the older of the two: what somebody writes comes to both, and one answers.
 */
export async function hasAnsweringTwin(owner: Owner, connectionId: number): Promise<boolean> {
  const { rows } = await sql`with numbers as (
      select c.id, case c.kind when 'device' then c.device_id else i.phone::text end as phone, c.state
      from connection c left join instance i on i.connection_id = c.id
      where c.account_id = ${owner.accountId}::uuid and c.desired <> 'removed')
    select 1 from numbers mine join numbers twin using (phone) join assistant_link l on l.connection_id = twin.id
    where mine.id = ${connectionId} and twin.id < mine.id and twin.state = 'connected' and l.active limit 1`.execute(
    owner.db,
  );
  return rows.length > 0;
}

/** Two chats turned out to be one. Answers whose it is; null: there is no such chat. */
export async function moveAnswers(tx: Db, from: number, into: number): Promise<string | null> {
  await sql`update agent_answer set chat_id = ${into} where chat_id = ${from}`.execute(tx);
  const { rows } = await sql<{
    account: string;
  }>`select account_id as account from chat where id = ${into}`.execute(tx);
  return rows[0]?.account ?? null;
}

export type Where = { connectionId: number } | { chatId: number };

/** What was done at a connection or in a chat, newest first, older than the answer `before`. */
export async function findAnswers(
  owner: Owner,
  where: Where,
  { before, limit }: { before: number | null; limit: number },
): Promise<AnswerRow[]> {
  const place =
    "chatId" in where ? sql`a.chat_id = ${where.chatId}` : sql`a.connection_id = ${where.connectionId}`;
  const older = before === null ? sql`` : sql`and a.id < ${before}`;
  const { rows } = await sql<AnswerRow>`
    select a.id, a.chat_id, a.chat_name, a.agent_name, a.state, a.reason, a.text, a.question, a.created_at, a.finished_at,
      o.status as sent_status, o.error as sent_error
    from agent_answer a left join outbox o on o.id = a.outbox_id
    where ${place} and a.account_id = ${owner.accountId}::uuid ${older}
    order by a.id desc limit ${limit}`.execute(owner.db);
  return rows;
}
