import type { Logger } from "pino";
import { MEDIA_WORDS } from "../../contract/error-messages.ts";
import { type AnswerReason, contextOf, isAnsweredByOthers, type Question } from "../../domain/answering.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { failpoint } from "../base/failpoint.ts";
import { noteSentElsewhere } from "../chat/service.ts";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { directMessagesOf, wake } from "../sending/sending.ts";
import { hasMade } from "./agents-repo.ts";
import { answerFailure } from "./answer-errors.ts";
import type { AnswerJob } from "./answer-jobs-repo.ts";
import type { AnswerQueue } from "./answer-queue.ts";
import {
  beginAnswer,
  dropThinking,
  endAnswer,
  lockThinking,
  type NewAnswer,
  noteRetry,
  skipAnswer,
} from "./answers-repo.ts";
import type { AnswerTimes } from "./assistant.ts";
import { countCall } from "./calls-repo.ts";
import { type ComposedAnswer, composeAnswer, wordsOf } from "./compose-answer.ts";
import { type ChatReader, type Conversation, readConversation } from "./conversation.ts";
import type { LinkRow } from "./links-repo.ts";
import type { MistralAccount } from "./mistral-client.ts";
import type { MistralSettingsService } from "./settings.ts";

export type AnsweringDeps = {
  db: Db;
  clock: Clock;
  log: Logger;
  changes: Pick<Changes, "mark">;
  chats: ChatReader;
  settings: Pick<MistralSettingsService, "access">;
  queue: Pick<AnswerQueue, "put">;
  times: AnswerTimes;
  closing(): boolean;
};

/** No one waits at the screen, so the model may take longer. */
const ASK_MS = 60_000;
/** Stops a chat whose answer crashes the process each time. */
const BEGINNINGS_MOST = 8;

type Begun = {
  owner: Owner;
  conversation: Conversation;
  link: LinkRow;
  question: Question;
  id: number;
  tries: number;
};

/**
 * Safe to repeat after a crash at any step: a started answer is a row, ended in the transaction that fills
 * the outbox.
 */
export function answering(deps: AnsweringDeps): (job: AnswerJob) => Promise<void> {
  const { db, clock, queue, times, changes } = deps;

  function tell(owner: Owner, chatId: number): void {
    changes.mark(owner.accountId, "agents");
    changes.mark(owner.accountId, "chats", chatId);
  }

  async function think(owner: Owner, chatId: number, conversation: Conversation): Promise<void> {
    const begun = await begin(owner, conversation);
    tell(owner, chatId);
    if (begun === null) return;
    failpoint("answer_begun");
    await answer(deps, begun);
    tell(owner, chatId);
  }

  return async (job) => {
    const owner = ownerOf(db, job.accountId);
    const conversation = await readConversation(deps, owner, job.chatId);
    if (conversation === null) return;
    const { decision } = conversation;
    if (decision.do === "answer" && !job.waited) {
      const age = clock.now().getTime() - decision.question.at.getTime();
      const left = Math.min(times.quiet, times.quiet - age);
      if (left > 0) return queue.put({ accountId: job.accountId, chatId: job.chatId, waited: true }, left);
    }
    await think(owner, job.chatId, conversation);
  };
}

async function begin(owner: Owner, conversation: Conversation): Promise<Begun | null> {
  const { chat, link, decision } = conversation;
  const question = decision.do === "nothing" ? null : decision.question;
  // Started for an earlier message, perhaps by a process that died.
  await dropThinking(owner, chat.id, {
    but: question?.id ?? null,
    reason: objection(conversation, null) ?? (question === null ? unasked(conversation) : "newer"),
  });
  if (question === null || link === null) return null;
  const fresh: NewAnswer = {
    connectionId: chat.connectionId,
    chatId: chat.id,
    chatName: chat.name,
    messageId: question.id,
    question: question.text,
    agentId: link.agent_id,
    agentName: link.agent_name,
  };
  if (decision.do === "skip") {
    await skipAnswer(owner, fresh, decision.reason);
    return null;
  }
  const begun = await beginAnswer(owner, fresh);
  return begun && { owner, conversation, link, question, ...begun };
}

async function answer(deps: AnsweringDeps, begun: Begun): Promise<void> {
  const { owner, conversation, link, id, tries } = begun;
  if (tries > BEGINNINGS_MOST) return endAnswer(owner, id, { state: "failed", reason: "interrupted" });
  const stopTyping = keepTyping(deps, conversation);
  try {
    const mistral = await mistralFor(deps, begun);
    const messages = contextOf(conversation.said, MEDIA_WORDS);
    await countCall(owner);
    const agentId = link.agent_id;
    const written = await mistral.complete({ agentId, messages, timeoutMs: ASK_MS });
    failpoint("answer_thought");
    const instructions = async () => (await mistral.getAgent(agentId)).instructions;
    const { phone } = conversation.chat;
    const composed = await composeAnswer(owner, written, { instructions, phone });
    if (composed.parts.length === 0)
      return await endAnswer(owner, id, { state: "failed", reason: composed.reason ?? "empty" });
    await send(deps, begun, composed);
    failpoint("answer_stored");
  } catch (error) {
    await failed(deps, begun, error);
  } finally {
    stopTyping();
  }
}

/**
 * An agent linked under the account's own key may be anyone's: with the operator's key it would expose
 * another account's instructions.
 */
async function mistralFor({ settings }: AnsweringDeps, { owner, link }: Begun): Promise<MistralAccount> {
  const { source, mistral } = await settings.access(owner);
  if (source === "operator" && !(await hasMade(owner, link.agent_id)))
    throw new AppError("mistral_agent_missing");
  return mistral;
}

async function send(
  deps: AnsweringDeps,
  begun: Begun,
  { parts, reason: missed }: ComposedAnswer,
): Promise<void> {
  const { owner, id, question } = begun;
  const { connectionId } = begun.conversation.chat;
  let chatId = begun.conversation.chat.id;
  const sent: number[] = [];
  const reason = await deps.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const held = await lockThinking(inside, connectionId, id);
    if (held === null) return null;
    chatId = held;
    const now = await readConversation(deps, inside, chatId);
    const objected = now === null ? "inactive" : objection(now, begun);
    if (now === null || objected !== null) {
      await endAnswer(inside, id, { state: "skipped", reason: objected ?? "inactive" });
      return objected;
    }
    const { chat } = now;
    for (const [at, { text, file }] of parts.entries()) {
      const { id: outboxId } = await directMessagesOf(inside).enqueue({
        connectionId,
        text,
        attachmentId: file?.id ?? null,
        origin: "agent",
        to: chat.phone === null ? { jid: chat.remoteId } : { phone: chat.phone },
        idempotencyKey: at === 0 ? `agent:${id}` : `agent:${id}:${at}`,
      });
      sent.push(outboxId);
    }
    await endAnswer(inside, id, { state: "sent", text: wordsOf(parts), outboxIds: sent, reason: missed });
    return null;
  });
  // Last: concurrent batches may hold chats while waiting for answers locked here.
  for (const outboxId of sent) await noteSentElsewhere(owner, outboxId);
  deps.log.info({ chatId, messageId: question.id, reason }, "assistant done");
  // Its own job may have been merged with this one.
  if (reason === "newer") await deps.queue.put({ accountId: owner.accountId, chatId, waited: true }, 0);
}

/** `begun` null: any answer. */
function objection(
  { chat, link, said, decision }: Conversation,
  begun: { question: Question; link: LinkRow } | null,
): AnswerReason | null {
  const { state } = chat.assistant;
  if (state === "paused") return "human";
  if (state === "off") return "switched_off";
  if (state !== "on" || link === null) return "inactive";
  if (begun === null) return null;
  const { question } = begun;
  if (isAnsweredByOthers(said, question)) return "human";
  if (link.linked_at.getTime() !== begun.link.linked_at.getTime()) return "inactive";
  if (decision.do === "nothing" || decision.question.id !== question.id) return "newer";
  return decision.do === "skip" ? decision.reason : null;
}

function unasked({ said, link }: Conversation): AnswerReason {
  const asked = said.findLast(({ id, fromMe, kind }) => !fromMe && kind === "text" && id !== null);
  if (!asked || asked.id === null) return "newer";
  if (isAnsweredByOthers(said, { ...asked, id: asked.id })) return "human";
  return link && asked.at < link.linked_at ? "inactive" : "newer";
}

async function failed(deps: AnsweringDeps, begun: Begun, error: unknown): Promise<void> {
  const { owner, id, tries, conversation } = begun;
  if (error instanceof AppError && error.code === "limit_reached")
    return endAnswer(owner, id, { state: "skipped", reason: "day_limit" });
  const failure = answerFailure(error, { tries, now: deps.clock.now(), down: deps.times.down });
  // Not Mistral's error: the job is retried, elsewhere when stopping.
  if (failure === null || deps.closing()) throw error;
  const { reason, againMs } = failure;
  const chatId = conversation.chat.id;
  deps.log.warn({ chatId, reason, tries, againMs }, "assistant could not answer");
  if (againMs === null) return endAnswer(owner, id, { state: "failed", reason });
  await noteRetry(owner, id, reason);
  await deps.queue.put({ accountId: owner.accountId, chatId, waited: true }, againMs);
}

function keepTyping({ db, log, times }: AnsweringDeps, { chat }: Conversation): () => void {
  const show = () => {
    wake(db, chat.connectionId, { typingTo: chat.remoteId }).catch((error: unknown) =>
      log.debug({ err: error }, "typing could not be shown"),
    );
  };
  show();
  const timer = setInterval(show, times.typing);
  return () => clearInterval(timer);
}
