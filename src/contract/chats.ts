import { z } from "zod";
import { MESSAGE_KINDS, MESSAGE_SOURCES } from "../domain/chat.ts";
import { DeliveryStatus } from "./campaigns.ts";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, RowId } from "./ids.ts";

export const MessageKind = z.enum(MESSAGE_KINDS);
export const MessageSource = z.enum(MESSAGE_SOURCES);

/** A conversation in the list. */
export const Chat = z.object({
  id: z.number(),
  connectionId: z.number(),
  kind: z.enum(["person", "group"]),
  /** What the list shows: a saved contact's name, else the push name, else the number; a group's id. */
  name: z.string(),
  savedName: z.string().nullable(),
  pushName: z.string().nullable(),
  /** Canonical digits; null for groups and for people of whom WhatsApp tells only the hidden address. */
  phone: z.string().nullable(),
  /** WhatsApp's own id of the conversation. */
  remoteId: z.string(),
  unread: z.number(),
  last: z.object({
    text: z.string(),
    kind: MessageKind,
    fromMe: z.boolean(),
    /** Null: of ours, and not known to be a program's. */
    source: MessageSource.nullable(),
    at: z.iso.datetime(),
  }),
  /** The person wants no campaigns. */
  optedOut: z.boolean(),
  /** The assistant here: none linked or inactive (`inactive`), answering, silent because somebody answered, or switched off in this chat. */
  assistant: z.object({
    state: z.enum(["none", "inactive", "on", "paused", "off"]),
    name: z.string().nullable(),
    pausedUntil: z.iso.datetime().nullable(),
  }),
});
export type Chat = z.infer<typeof Chat>;

export const ChatMessage = z.object({
  /** Unique in its chat, stable. */
  key: z.string(),
  /** The message's row in the outbox, for a retry; null for all others. */
  outboxId: z.number().nullable(),
  fromMe: z.boolean(),
  source: MessageSource,
  kind: MessageKind,
  text: z.string(),
  /** Shown by GET /api/images/{id}. */
  imageId: z.number().nullable(),
  /** Who wrote, in a group. */
  participant: z.string().nullable(),
  /** Of our own: what is proven of it. Null for what others wrote. */
  status: DeliveryStatus.nullable(),
  /** Why it failed or is doubtful, as a code and in words. */
  error: z.object({ code: z.string(), text: z.string() }).nullable(),
  campaign: z.object({ id: z.number(), name: z.string() }).nullable(),
  at: z.iso.datetime(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** How an answer of the assistant came about, or why there is none. */
export const AgentAnswer = z.object({
  id: z.number(),
  chatId: z.number(),
  chatName: z.string(),
  agentName: z.string(),
  state: z.enum(["thinking", "sent", "failed", "skipped"]),
  reason: z.object({ code: z.string(), text: z.string() }).nullable(),
  text: z.string().nullable(),
  /** The message it answers. */
  question: z.string(),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export type AgentAnswer = z.infer<typeof AgentAnswer>;

export const chats = {
  list: endpoint({
    method: "GET",
    path: "/api/chats",
    summary: "Conversations of a connection, newest first; `search` looks in names, numbers and messages",
    access: "key",
    query: z.object({
      connectionId: RowId,
      search: z.string().max(200).optional(),
      cursor: z.string().max(200).optional(),
    }),
    answer: z.object({ chats: z.array(Chat), next: z.string().nullable(), unread: z.number() }),
  }),
  unread: endpoint({
    method: "GET",
    path: "/api/chats/unread",
    summary: "How many messages of all conversations are unread",
    access: "user",
    answer: z.object({ unread: z.number() }),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/chats/{id}",
    summary: "One conversation",
    access: "key",
    params: IdParams,
    answer: Chat,
  }),
  messages: endpoint({
    method: "GET",
    path: "/api/chats/{id}/messages",
    summary: "The newest 100 messages in ascending order, or the 100 before the cursor `older`",
    access: "key",
    params: IdParams,
    query: z.object({ older: z.string().max(200).optional() }),
    answer: z.object({
      messages: z.array(ChatMessage),
      older: z.string().nullable(),
      /** How far what others wrote is among these, for `read`. */
      upTo: z.number(),
    }),
  }),
  send: endpoint({
    method: "POST",
    path: "/api/chats/{id}/messages",
    sends: true,
    summary: "Send a message through the chat's connection; its state follows in the chat",
    access: "key",
    params: IdParams,
    body: z.strictObject({
      text: z.string().default(""),
      imageId: RowId.nullable().default(null),
      /** The same key with the same body is the same message. */
      idempotencyKey: IdempotencyKey.optional(),
    }),
    answer: ChatMessage,
    status: 201,
  }),
  retry: endpoint({
    method: "POST",
    path: "/api/chats/{id}/messages/{outboxId}/retry",
    sends: true,
    summary:
      "Send a failed message once more, as a new one; with a doubtful one that may be a second message, and the caller says so with `evenSo`",
    access: "key",
    params: IdParams.extend({ outboxId: RowId }),
    body: z.strictObject({ evenSo: z.boolean().default(false) }),
    answer: ChatMessage,
    status: 201,
  }),
  read: endpoint({
    method: "POST",
    path: "/api/chats/{id}/read",
    summary: "The conversation was looked at, as far as `upTo`: only what came after that is unread",
    access: "user",
    params: IdParams,
    body: z.strictObject({ upTo: RowId.or(z.literal(0)) }),
    answer: Chat,
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/chats/{id}",
    summary: "Switch the assistant off or on in this conversation; on also ends its pause",
    access: "key",
    params: IdParams,
    body: z.strictObject({ assistant: z.boolean() }),
    answer: Chat,
  }),
  answers: endpoint({
    method: "GET",
    path: "/api/chats/{id}/answers",
    summary: "What the assistant did in this conversation, newest first",
    access: "key",
    params: IdParams,
    answer: z.object({ answers: z.array(AgentAnswer) }),
  }),
};
