import type { AnswerReason } from "../../domain/answering.ts";
import { leavingOf } from "../../domain/leaving.ts";
import type { ChatAssistant } from "../chat/service.ts";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { directMessagesOf } from "../sending/sending.ts";
import type { AnswerQueue } from "./answer-queue.ts";
import type { AnswersService } from "./answers.ts";
import { dropThinking, findFreshAnswers, moveAnswers } from "./answers-repo.ts";
import { findLink } from "./links-repo.ts";
import type { SlowTimes } from "./slow-accounts.ts";

export type AnswerTimes = {
  /** Time since the last message: people write several in a row. */
  quiet: number;
  /** Waits between retries; after the last one the answer has failed. */
  down: readonly number[];
  poll: number;
  /** Between "typing" signs, which WhatsApp shows for ten seconds. */
  typing: number;
} & SlowTimes;

export const ANSWER_TIMES: AnswerTimes = {
  quiet: 2_000,
  down: [5_000, 20_000],
  poll: 10_000,
  typing: 8_000,
  slow: 15_000,
  slowFor: 300_000,
};

type Deps = { db: Db; queue: Pick<AnswerQueue, "put">; times: AnswerTimes; answers: AnswersService };

/** Also withdraws unsent answers; `before`: those to earlier messages. */
async function silence(owner: Owner, chatId: number, reason: AnswerReason, before?: number): Promise<void> {
  await dropThinking(owner, chatId, { but: null, reason, before });
  await directMessagesOf(owner).withdrawAnswers({ ids: await findFreshAnswers(owner, chatId, before) });
}

export function assistantOfChats({ db, queue, times, answers }: Deps): ChatAssistant {
  return {
    linkedTo: async (owner, connectionId) => {
      const link = await findLink(owner, connectionId);
      if (!link) return null;
      return { name: link.agent_name, active: link.active, pauseMinutes: link.pause_minutes };
    },

    onIncoming: async (messages) => {
      const texts = messages.filter(
        ({ chatKind, fromMe, kind, text }) =>
          chatKind === "person" && !fromMe && kind === "text" && leavingOf(text) === "no",
      );
      // One job per chat is enough.
      const chats = new Map(texts.map((message) => [message.chatId, message]));
      const active = new Map<number, boolean>();
      for (const { accountId, connectionId, chatId } of chats.values()) {
        const known = active.get(connectionId);
        const on = known ?? (await findLink(ownerOf(db, accountId), connectionId))?.active === true;
        active.set(connectionId, on);
        if (on) await queue.put({ accountId, chatId, waited: false }, times.quiet);
      }
    },

    onHuman: (owner, chatId) => silence(owner, chatId, "human"),
    onOff: (owner, chatId) => silence(owner, chatId, "switched_off"),
    onLeft: async (inside, left) => {
      for (const { chatId, before } of left) await silence(inside, chatId, "newer", before);
    },

    answers: (owner, chatId) => answers.ofChat(owner, chatId),

    chatMerged: async (tx, from, into) => {
      const accountId = await moveAnswers(tx, from, into);
      if (accountId === null) return;
      // Waiting jobs name the chat that is gone. After an error the next message queues one.
      const look = queue.put({ accountId, chatId: into, waited: true }, times.quiet);
      look.catch(() => undefined);
    },
  };
}
