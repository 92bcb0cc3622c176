import type { z } from "zod";
import type { chats } from "../../contract/chats.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { canComeAgain, RECEIVED_STATES } from "../../domain/received-file.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { wake } from "../sending/sending.ts";
import { type Act, actInChat } from "./acts.ts";
import type { Assistant } from "./assistant.ts";
import { findDeleted } from "./deletions.ts";
import { personChats as chatsOfPerson } from "./erase.ts";
import { findByKeys, findMessages, findReceived, MESSAGES, type MessageRow } from "./messages-repo.ts";
import { namesOf } from "./names-of.ts";
import * as numbers from "./numbers.ts";
import { openChat } from "./open.ts";
import { chatCursor, messageCursor, readChatCursor, readMessageCursor } from "./place.ts";
import { findVotes } from "./polls.ts";
import { type Facts, keyOf, toChat, toMessage } from "./presenter.ts";
import { findReactions } from "./reactions.ts";
import { readRecipient } from "./read-recipient.ts";
import * as reads from "./reads.ts";
import { askAgain } from "./received-files.ts";
import { findReplies } from "./replies.ts";
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
import { cancelInChat, retryInChat, type SendDeps, sendInChat } from "./send.ts";
import { noteElsewhere } from "./sent-elsewhere.ts";

export const chatNumbers = numbers;
export const readTypedPhone = readRecipient;
export const repliesOf = findReplies;
export const personChats = chatsOfPerson;

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

export const chatReads = reads;

export type ChatAssistant = Assistant;

export class ChatService {
  readonly #deps: ChatDeps;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  async list(owner: Owner, query: z.output<typeof chats.list.query>) {
    const { assistant, clock } = this.#deps;
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
  }

  async unread(owner: Owner) {
    const connections = await countUnreadByConnection(owner);
    return { unread: connections.reduce((sum, { unread }) => sum + unread, 0), connections };
  }

  async get(owner: Owner, id: number) {
    const { assistant, clock } = this.#deps;
    const row = await need(owner, id);
    return toChat(row, await assistant.linkedTo(owner, row.connection_id), clock.now());
  }

  async open(owner: Owner, connectionId: number, phone: string) {
    return this.get(owner, await openChat(owner, connectionId, phone));
  }

  async messages(owner: Owner, id: number, older: string | undefined) {
    const chat = await need(owner, id);
    const rows = await findMessages(owner, namesOf(chat), readMessageCursor(older), MESSAGES + 1);
    const page = rows.slice(0, MESSAGES);
    const facts = await factsOf(owner, chat, page);
    const oldest = rows.length > MESSAGES ? page.at(-1) : undefined;
    return {
      messages: page.toReversed().map((row) => toMessage(row, facts)),
      older: oldest ? messageCursor(oldest) : null,
      upTo: Math.max(0, ...page.filter(({ source }) => source === "m").map(({ a }) => a)),
    };
  }

  async send(owner: Owner, id: number, body: z.output<typeof chats.send.body>) {
    const chat = await need(owner, id);
    const row = await sendInChat(this.#deps, owner, chat, body);
    return body.sendAt === undefined ? this.#answered(owner, chat, row) : this.#shown(owner, chat, row);
  }

  async retry(owner: Owner, id: number, outboxId: number, evenSo: boolean) {
    const chat = await need(owner, id);
    return this.#answered(owner, chat, await retryInChat(this.#deps, owner, chat, outboxId, evenSo));
  }

  async fetchFile(owner: Owner, id: number, messageId: number) {
    const chat = await need(owner, id);
    const find = async () => {
      const row = await findReceived(owner, namesOf(chat), messageId);
      if (!row) throw new AppError("not_found");
      return row;
    };
    const { attachment } = await find();
    const isLost = attachment !== null && (await this.#deps.files.isLost(owner, attachment.id));
    const states = RECEIVED_STATES.filter((state) => canComeAgain(state, isLost));
    const asked = await askAgain(owner, id, messageId, { now: this.#deps.clock.now(), states });
    if (asked) {
      await wake(owner.db, asked.connectionId, "files");
      this.#publish(owner, id);
    }
    return toMessage(await find());
  }

  async cancelScheduled(owner: Owner, id: number, outboxId: number) {
    const chat = await need(owner, id);
    await cancelInChat(owner, chat, outboxId);
    this.#publish(owner, id);
    return {};
  }

  async act(owner: Owner, id: number, key: string, act: Act) {
    const chat = await need(owner, id);
    const row = await actInChat(owner, chat, key, act, this.#deps.clock.now());
    this.#publish(owner, id);
    return toMessage(row, await factsOf(owner, chat, [row]));
  }

  async read(owner: Owner, id: number, upTo: number) {
    await markRead(owner, id, upTo);
    this.#publish(owner, id);
    return this.get(owner, id);
  }

  async switchAssistant(owner: Owner, id: number, on: boolean) {
    await switchAssistant(owner, id, on, this.#deps.clock.now());
    if (!on) await this.#deps.assistant.onOff(owner, id);
    this.#publish(owner, id);
    return this.get(owner, id);
  }

  /** Null: never paused. */
  async silentUntil(owner: Owner, id: number) {
    return (await need(owner, id)).agent_paused_until;
  }

  async answers(owner: Owner, id: number) {
    await need(owner, id);
    return { answers: await this.#deps.assistant.answers(owner, id) };
  }

  #publish(owner: Owner, id: number): void {
    this.#deps.changes.mark(owner.accountId, "chats", id);
  }

  async #answered(owner: Owner, chat: ChatRow, row: MessageRow) {
    const { assistant, clock } = this.#deps;
    const link = await assistant.linkedTo(owner, chat.connection_id);
    if (link) {
      await pauseAssistant(owner, chat.id, new Date(clock.now().getTime() + link.pauseMinutes * 60_000));
      await assistant.onHuman(owner, chat.id);
    }
    return this.#shown(owner, chat, row);
  }

  async #shown(owner: Owner, chat: ChatRow, row: MessageRow) {
    this.#publish(owner, chat.id);
    return toMessage(row, await factsOf(owner, chat, [row]));
  }
}

const isPoll = ({ details }: MessageRow) => details !== null && "poll" in details;

async function factsOf(owner: Owner, chat: ChatRow, page: readonly MessageRow[]): Promise<Facts> {
  const known = new Map(page.map((row) => [keyOf(row), row]));
  const elsewhere = page.flatMap(({ quoted_key: key }) => (key === null || known.has(key) ? [] : key));
  const others = await findByKeys(owner, namesOf(chat), elsewhere);
  return {
    reactions: await findReactions(owner, chat.id, [...known.keys()]),
    deleted: await findDeleted(owner, chat.id, [...known.keys()]),
    votes: await findVotes(owner, chat.id, page.filter(isPoll).map(keyOf)),
    quoted: new Map([...known, ...others.map((row) => [keyOf(row), row] as const)]),
  };
}

async function need(owner: Owner, id: number): Promise<ChatRow> {
  const row = await findChat(owner, id);
  if (!row) throw new AppError("not_found");
  return row;
}
