import type { z } from "zod";
import type { chats } from "../../contract/chats.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import type { Assistant } from "./assistant.ts";
import { findMessages, MESSAGES, type MessageRow } from "./messages-repo.ts";
import { openChat } from "./open.ts";
import { chatCursor, messageCursor, readChatCursor, readMessageCursor } from "./place.ts";
import { toChat, toMessage } from "./presenter.ts";
import {
  type ChatRow,
  countUnread,
  countUnreadByConnection,
  findChat,
  findChats,
  markRead,
  pauseAssistant,
  switchAssistant,
} from "./repo.ts";
import { namesOf, retryInChat, type SendDeps, sendInChat } from "./send.ts";
import { noteElsewhere } from "./sent-elsewhere.ts";

export type ChatService = ReturnType<typeof chatService>;
/** What chats ask of assistants. */
export type ChatAssistant = Assistant;

export type ChatDeps = SendDeps & {
  clock: Clock;
  changes: Pick<Changes, "mark">;
  assistant: Assistant;
};

/** Shows what a program, test or assistant sent as the last message of its conversation; call after its commit. */
export function noteSentElsewhere(owner: Owner, outboxId: number): Promise<void> {
  return noteElsewhere(owner, outboxId);
}

const CHATS = 50;

export function chatService(deps: ChatDeps) {
  const { clock, changes, assistant } = deps;

  async function need(owner: Owner, id: number): Promise<ChatRow> {
    const row = await findChat(owner, id);
    if (!row) throw new AppError("not_found");
    return row;
  }

  async function show(owner: Owner, id: number) {
    const row = await need(owner, id);
    return toChat(row, await assistant.linkedTo(owner, row.connection_id), clock.now());
  }

  function tell(owner: Owner, id: number): void {
    changes.mark(owner.accountId, "chats", id);
  }

  async function answered(owner: Owner, chat: ChatRow, row: MessageRow) {
    const link = await assistant.linkedTo(owner, chat.connection_id);
    if (link) {
      await pauseAssistant(owner, chat.id, new Date(clock.now().getTime() + link.pauseMinutes * 60_000));
      await assistant.onHuman(owner, chat.id);
    }
    tell(owner, chat.id);
    return toMessage(row);
  }

  return {
    list: async (owner: Owner, query: z.output<typeof chats.list.query>) => {
      const { connectionId } = query;
      const unread = await countUnread(owner, connectionId);
      if (unread === null) throw new AppError("not_found");
      const search = (query.search ?? "").trim();
      const after = readChatCursor(query.cursor);
      const rows = await findChats(owner, connectionId, { search, after, limit: CHATS + 1 });
      const last = rows.length > CHATS ? rows[CHATS - 1] : undefined;
      const link = await assistant.linkedTo(owner, connectionId);
      return {
        chats: rows.slice(0, CHATS).map((row) => toChat(row, link, clock.now())),
        next: last ? chatCursor({ us: last.last_us, id: last.id }) : null,
        unread,
      };
    },

    async unread(owner: Owner) {
      const connections = await countUnreadByConnection(owner);
      return { unread: connections.reduce((sum, { unread }) => sum + unread, 0), connections };
    },

    get: show,

    open: async (owner: Owner, connectionId: number, phone: string) =>
      show(owner, await openChat(owner, connectionId, phone)),

    messages: async (owner: Owner, id: number, older: string | undefined) => {
      const chat = await need(owner, id);
      const rows = await findMessages(owner, namesOf(chat), readMessageCursor(older), MESSAGES + 1);
      const page = rows.slice(0, MESSAGES);
      const oldest = rows.length > MESSAGES ? page.at(-1) : undefined;
      return {
        messages: page.toReversed().map(toMessage),
        older: oldest ? messageCursor(oldest) : null,
        upTo: Math.max(0, ...page.filter(({ source }) => source === "m").map(({ a }) => a)),
      };
    },

    send: async (owner: Owner, id: number, body: z.output<typeof chats.send.body>) => {
      const chat = await need(owner, id);
      return answered(owner, chat, await sendInChat(deps, owner, chat, body));
    },

    retry: async (owner: Owner, id: number, outboxId: number, evenSo: boolean) => {
      const chat = await need(owner, id);
      return answered(owner, chat, await retryInChat(deps, owner, chat, outboxId, evenSo));
    },

    read: async (owner: Owner, id: number, upTo: number) => {
      await markRead(owner, id, upTo);
      tell(owner, id);
      return show(owner, id);
    },

    switchAssistant: async (owner: Owner, id: number, on: boolean) => {
      await switchAssistant(owner, id, on, clock.now());
      if (!on) await assistant.onOff(owner, id);
      tell(owner, id);
      return show(owner, id);
    },

    /** Null: never paused. */
    silentUntil: async (owner: Owner, id: number) => (await need(owner, id)).agent_paused_until,

    answers: async (owner: Owner, id: number) => {
      await need(owner, id);
      return { answers: await assistant.answers(owner, id) };
    },
  };
}
