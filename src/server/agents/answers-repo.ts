import { type RawBuilder, sql } from "kysely";
import type { AnswerReason } from "../../domain/answering.ts";
import { chatReads } from "../chat/service.ts";
import { connectionReads } from "../connections/service.ts";
import { shareAccount } from "../db/account.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { gatewayReads } from "../gateways/service.ts";
import { sqlParts } from "../sending/sending.ts";

const { directOutcomes } = sqlParts();

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
  /** Null: no message was sent. */
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

/** Starts or resumes. Null: ended, or the chat is gone. */
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

/** Records why a message is not answered; false if already recorded. */
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
    from ${chatReads.CHATS} c where c.id = ${chatId} and c.account_id = ${owner.accountId}::uuid`;
};

/**
 * Returns its chat, which a merge may have changed; null when ended. Locks parents first, as deletions do.
 */
export async function lockThinking(owner: Owner, connectionId: number, id: number): Promise<number | null> {
  await shareAccount(owner.db, owner.accountId);
  await connectionReads.share(owner.db, connectionId);
  // A concurrent unlink waits, then finds the answer in the outbox and withdraws it.
  await sql`select 1 from assistant_link where connection_id = ${connectionId} for share`.execute(owner.db);
  const { rows } = await sql<{ chat: number }>`select chat_id as chat from agent_answer
    where id = ${id} and account_id = ${owner.accountId}::uuid and state = 'thinking' for update`.execute(
    owner.db,
  );
  return rows[0]?.chat ?? null;
}

export type AnswerEnd =
  /** `reason`: why not all of it was sent. */
  | { state: "sent"; text: string; outboxIds: readonly number[]; reason: AnswerReason | null }
  | { state: "failed" | "skipped"; reason: AnswerReason };

export async function endAnswer(owner: Owner, id: number, end: AnswerEnd): Promise<void> {
  const { text, outboxIds } = end.state === "sent" ? end : { text: null, outboxIds: [] };
  const [first = null, ...further] = outboxIds;
  await sql`update agent_answer set state = ${end.state}, reason = ${end.reason}, text = ${text}, outbox_id = ${first},
      further_outbox_ids = ${further}::bigint[], finished_at = now()
    where id = ${id} and account_id = ${owner.accountId}::uuid and state = 'thinking'`.execute(owner.db);
}

export async function noteRetry(owner: Owner, id: number, reason: AnswerReason): Promise<void> {
  await sql`update agent_answer set reason = ${reason}
    where id = ${id} and account_id = ${owner.accountId}::uuid and state = 'thinking'`.execute(owner.db);
}

const asksBefore = (before: number | undefined) =>
  before === undefined ? sql`` : sql`and message_id < ${before}`;

/** Except the answer to a given message. `before`: only those to earlier messages. */
export async function dropThinking(
  owner: Owner,
  chatId: number,
  { but, reason, before }: { but: number | null; reason: AnswerReason; before?: number | undefined },
): Promise<void> {
  await sql`update agent_answer set state = 'skipped', reason = ${reason}, finished_at = now()
    where chat_id = ${chatId} and account_id = ${owner.accountId}::uuid and state = 'thinking'
      and message_id is distinct from ${but} ${asksBefore(before)}`.execute(owner.db);
}

export type Given = { message_id: number; outbox_ids: readonly number[]; created_at: Date };

const SENT = sql`to_jsonb(outbox_id || further_outbox_ids)`;

export async function findGiven(owner: Owner, chatId: number, limit: number): Promise<Given[]> {
  const { rows } = await sql<Given>`select message_id, ${SENT} as outbox_ids, created_at from agent_answer
    where chat_id = ${chatId} and account_id = ${owner.accountId}::uuid and state = 'sent'
    order by id desc limit ${limit}`.execute(owner.db);
  return rows;
}

export async function countAsked(owner: Owner, chatId: number, since: Date): Promise<number> {
  const { rows } = await sql<{ asked: number }>`select count(*)::int as asked from agent_answer
    where chat_id = ${chatId} and account_id = ${owner.accountId}::uuid and tries > 0 and state <> 'thinking'
      and created_at > ${since}`.execute(owner.db);
  return rows[0]?.asked ?? 0;
}

/** Within the hour, as older ones are not sent. `before`: those to earlier messages. */
export async function findFreshAnswers(owner: Owner, chatId: number, before?: number): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`select ${SENT} as ids from agent_answer
    where chat_id = ${chatId} and account_id = ${owner.accountId}::uuid and state = 'sent'
      and finished_at > now() - interval '1 hour' ${asksBefore(before)}`.execute(owner.db);
  return rows.flatMap(({ ids }) => ids);
}

/**
 * Other accounts count only if WhatsApp or the operator's server confirms the number: anyone can claim one.
 */
export async function isAgentsPhone(owner: Owner, phone: string): Promise<boolean> {
  const { rows } = await sql`select 1 from assistant_link l
      join ${gatewayReads.NUMBERS} n on n.id = l.connection_id
    where l.active and n.phone = ${phone}
      and (n.account_id = ${owner.accountId}::uuid or (n.state = 'connected' and n.provided)) limit 1`.execute(
    owner.db,
  );
  return rows.length > 0;
}

/**
 * An older connected connection of the same number also has an assistant: both get each message, one may
 * answer.
 */
export async function hasAnsweringTwin(owner: Owner, connectionId: number): Promise<boolean> {
  const { rows } = await sql`with numbers as (
      select n.id, n.phone, n.state from ${gatewayReads.NUMBERS} n where n.account_id = ${owner.accountId}::uuid)
    select 1 from numbers mine join numbers twin using (phone) join assistant_link l on l.connection_id = twin.id
    where mine.id = ${connectionId} and twin.id < mine.id and twin.state = 'connected' and l.active limit 1`.execute(
    owner.db,
  );
  return rows.length > 0;
}

export async function moveAnswers(tx: Db, from: number, into: number): Promise<string | null> {
  await sql`update agent_answer set chat_id = ${into} where chat_id = ${from}`.execute(tx);
  const { rows } = await sql<{
    account: string;
  }>`select c.account_id as account from ${chatReads.CHATS} c where c.id = ${into}`.execute(tx);
  return rows[0]?.account ?? null;
}

export type Where = { connectionId: number } | { chatId: number };

export async function findAnswers(
  owner: Owner,
  where: Where,
  { before, limit }: { before: number | null; limit: number },
): Promise<AnswerRow[]> {
  const place =
    "chatId" in where ? sql`a.chat_id = ${where.chatId}` : sql`a.connection_id = ${where.connectionId}`;
  const older = before === null ? sql`` : sql`and a.id < ${before}`;
  const { rows } = await sql<AnswerRow>`
    select distinct on (a.id) a.id, a.chat_id, a.chat_name, a.agent_name, a.state, a.reason, a.text, a.question, a.created_at, a.finished_at,
      o.status as sent_status, o.error as sent_error
    from agent_answer a left join ${directOutcomes} o on o.id = any(a.outbox_id || a.further_outbox_ids)
    where ${place} and a.account_id = ${owner.accountId}::uuid ${older}
    order by a.id desc, o.error nulls last, o.id limit ${limit}`.execute(owner.db);
  return rows;
}

/** In a restored copy, whose original answers. */
export async function interruptAnswers(tx: Db): Promise<void> {
  await sql`update agent_answer set state = 'failed', reason = 'interrupted', finished_at = now()
    where state = 'thinking'`.execute(tx);
}
