import { type Decision, decide, inOrder, type Said, type Situation } from "../../domain/answering.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { ChatService } from "../chat/service.ts";
import type { Owner } from "../db/owner.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import { readSuspended } from "../db/suspended.ts";
import { countAsked, findGiven, type Given, hasAnsweringTwin, isAgentsPhone } from "./answers-repo.ts";
import { findLink, type LinkRow } from "./links-repo.ts";

export type ChatReader = Pick<ChatService, "get" | "messages" | "silentUntil">;
type ShownChat = Awaited<ReturnType<ChatReader["get"]>>;
type ShownMessage = Awaited<ReturnType<ChatReader["messages"]>>["messages"][number];

export type Conversation = {
  chat: ShownChat;
  link: LinkRow | null;
  said: Said[];
  decision: Decision;
};

const HOUR_MS = 3_600_000;

export async function readConversation(
  { chats, clock }: { chats: ChatReader; clock: Clock },
  owner: Owner,
  chatId: number,
): Promise<Conversation | null> {
  try {
    const chat = await chats.get(owner, chatId);
    const link = (await findLink(owner, chat.connectionId)) ?? null;
    const { messages } = await chats.messages(owner, chatId, undefined);
    const given = await findGiven(owner, chatId, messages.length);
    const said = inOrder(messages.map((message) => saidOf(message, given)));
    const on = chat.kind === "person" && chat.assistant.state === "on" && chat.remoteId !== "";
    // A restored copy's original may have answered already.
    const held = on && ((await readRestoreLock(owner.db)) !== null || (await readSuspended(owner)));
    const decision =
      link && on && !held
        ? decide(
            await situationOf(
              owner,
              { chat, link, said, given, silentUntil: await chats.silentUntil(owner, chatId) },
              clock.now(),
            ),
          )
        : NOTHING;
    return { chat, link, said, decision };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}

const NOTHING: Decision = { do: "nothing" };

type Read = { chat: ShownChat; link: LinkRow; said: Said[]; given: Given[]; silentUntil: Date | null };

async function situationOf(
  owner: Owner,
  { chat, link, said, given, silentUntil }: Read,
  now: Date,
): Promise<Situation> {
  const { phone } = chat;
  const hourAgo = new Date(now.getTime() - HOUR_MS);
  return {
    said,
    now,
    linkedAt: link.linked_at,
    silentUntil,
    answeredId: Math.max(0, ...given.map(({ message_id }) => message_id)),
    answersWithinHour: given.filter(({ created_at }) => created_at > hourAgo).length,
    askedWithinHour: await countAsked(owner, chat.id, hourAgo),
    otherAgent: phone !== null && (await isAgentsPhone(owner, phone)),
    twinAnswers: await hasAnsweringTwin(owner, chat.connectionId),
  };
}

const UNSENT: readonly ShownMessage["status"][] = ["error", "skipped"];

function saidOf(
  { key, outboxId, fromMe, source, status, kind, text, at, deletedBy }: ShownMessage,
  given: Given[],
): Said {
  return {
    id: key.startsWith("m") ? Number(key.slice(1)) : null,
    answers:
      given.find(({ outbox_ids }) => outboxId !== null && outbox_ids.includes(outboxId))?.message_id ?? null,
    fromMe,
    source,
    kind,
    text,
    unsent: UNSENT.includes(status) || deletedBy !== null,
    at: new Date(at),
  };
}
