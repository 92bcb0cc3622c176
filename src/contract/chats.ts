import { z } from "zod";
import { MESSAGE_KINDS, MESSAGE_SOURCES } from "../domain/chat.ts";
import { RECEIVED_STATES } from "../domain/received-file.ts";
import { DeliveryStatus } from "./campaigns.ts";
import { endpoint } from "./endpoint.ts";
import { AttachmentKind, AttachmentSummary } from "./files.ts";
import { IdempotencyKey, IdParams, RowId } from "./ids.ts";

export const MessageKind = z.enum(MESSAGE_KINDS);
export const MessageSource = z.enum(MESSAGE_SOURCES);

export const Chat = z.object({
  id: z.number().describe("The conversation's number"),
  connectionId: z.number().describe("The connection it is held through"),
  kind: z.enum(["person", "group"]).describe("A group shows its name, or its id until that is known"),
  name: z
    .string()
    .describe(
      "What the list shows: a saved contact's name, else the push name, else the number; a group's name, or its id",
    ),
  savedName: z.string().nullable().describe("A saved contact's name, where there is one"),
  pushName: z.string().nullable().describe("What the person calls themselves at WhatsApp"),
  phone: z
    .string()
    .nullable()
    .describe(
      "Digits with the country code; null for groups and for people with only a hidden WhatsApp address",
    ),
  remoteId: z.string().describe("WhatsApp's own id of the conversation"),
  unread: z.number().describe("Number of unread messages"),
  last: z
    .object({
      text: z.string().describe("What it says; empty for a file without words"),
      kind: MessageKind.describe("What it is made of"),
      fromMe: z.boolean().describe("Whether we wrote it"),
      source: MessageSource.nullable().describe("Who of ours wrote it; null where that is not known"),
      at: z.iso.datetime().describe("ISO 8601 in UTC"),
    })
    .describe("The newest message; empty and of 1970 where none was written yet"),
  optedOut: z.boolean().describe("The person wants no campaigns"),
  asksToLeave: z
    .object({
      text: z.string().describe("What they wrote"),
      at: z.iso.datetime().describe("ISO 8601 in UTC: names the entry in a decision"),
    })
    .nullable()
    .describe(
      "They may have asked to opt out: campaigns skip them until a person decides (POST /api/opt-outs/{phone}/confirm, or DELETE)",
    ),
  assistant: z
    .object({
      state: z
        .enum(["none", "inactive", "on", "paused", "off"])
        .describe(
          "`none` linked, `inactive`, `on`, `paused` because a person answered, or switched `off` in this conversation",
        ),
      name: z.string().nullable().describe("What the assistant is called"),
      pausedUntil: z.iso.datetime().nullable().describe("When it answers again by itself: ISO 8601 in UTC"),
    })
    .describe("The assistant in this conversation"),
});
export type Chat = z.infer<typeof Chat>;

export const ReceivedFile = z.object({
  messageId: z.number().describe("Names the message in a call that fetches its file again"),
  state: z
    .enum(RECEIVED_STATES)
    .describe(
      "`coming`; `here`: see `attachment`; `expired`: no longer kept here; `failed`; `gone`: WhatsApp has it no longer; `too_large`; `no_room`: the account's limit; `disk_full`: the installation's",
    ),
  kind: AttachmentKind.describe("As what it was sent"),
  name: z.string().describe("Its name as it was sent; empty but for documents"),
  bytes: z.number().nullable().describe("Its size as the sender's WhatsApp says"),
  seconds: z.number().nullable().describe("Length of a video or sound as the sender's WhatsApp says"),
  pages: z.number().nullable().describe("Pages of a document as the sender's WhatsApp says"),
});
export type ReceivedFile = z.infer<typeof ReceivedFile>;

const Act = z
  .object({
    status: DeliveryStatus.describe("How far it is; `error`: not done, `uncertain`: not known"),
    error: z
      .object({
        code: z.string().describe("The reason as a code"),
        text: z.string().describe("The same in words"),
      })
      .nullable()
      .describe("Why it failed or is doubtful"),
  })
  .nullable();

const Emoji = z
  .string()
  .max(40)
  .regex(/^(\p{Extended_Pictographic}|\p{Emoji_Component})*$/u);

const MessageParams = IdParams.extend({
  key: z
    .string()
    .regex(/^(?:[mo]\d{1,15}|d\d{1,15}-\d{1,9})$/)
    .describe("`key` of the message"),
});

export const ChatMessage = z.object({
  key: z.string().describe("Unique in its conversation, stable"),
  outboxId: z
    .number()
    .nullable()
    .describe("For a retry; null for what was not typed or sent by a program here"),
  requestKey: z
    .string()
    .nullable()
    .describe("The `idempotencyKey` of the call that sent it from the chat; null for all else"),
  fromMe: z.boolean().describe("Whether we wrote it"),
  source: MessageSource.describe("Who wrote it, or what of ours"),
  kind: MessageKind.describe("What it is made of"),
  text: z.string().describe("What it says; empty for a file without words"),
  attachment: AttachmentSummary.nullable().describe("The file it carries, read by GET /api/attachments/{id}"),
  contacts: z
    .array(
      z.object({
        name: z.string().describe("What the card says; may be empty"),
        phones: z.array(z.string()).describe("Digits with the country code"),
        others: z.array(z.string()).describe("Numbers as they were written, and e-mails"),
      }),
    )
    .describe("Contact cards; empty for other kinds"),
  place: z
    .object({ latitude: z.number().describe("In degrees"), longitude: z.number().describe("In degrees") })
    .nullable()
    .describe("Where a location is"),
  poll: z
    .object({
      question: z.string().describe("What it asks"),
      options: z
        .array(
          z.object({
            text: z.string().describe("The option"),
            votes: z.number().describe("How many chose it, each voter's last vote alone"),
          }),
        )
        .describe("In the poll's order"),
      voters: z.number().describe("How many chose at least one option"),
      sealed: z.number().describe("Votes that only the phone can read, in none of the numbers"),
    })
    .nullable()
    .describe("A poll and its votes so far"),
  chosen: z
    .array(z.string())
    .nullable()
    .describe("Options of a vote; empty: taken back; null: no vote, or one that only the phone can read"),
  link: z
    .object({
      url: z.string().describe("The address"),
      title: z.string().describe("The page's title, as the writer's WhatsApp sent it"),
      description: z.string().describe("What the page says of itself; may be empty"),
    })
    .nullable()
    .describe("What WhatsApp shows of an address in the text"),
  edited: z.boolean().describe("Whether its writer changed it later; the text is the newest"),
  deletedBy: z
    .enum(["writer", "admin"])
    .nullable()
    .describe("Who deleted it for everyone at WhatsApp; what it said stays here"),
  deleting: Act.describe("A deletion asked for here: what became of it; null: none, or done"),
  quoted: z
    .object({
      key: z.string().nullable().describe("Its `key`, where the quoted message is stored here"),
      fromMe: z.boolean().nullable().describe("Whether we wrote it; null where WhatsApp does not say"),
      who: z.string().nullable().describe("Who of a group"),
      kind: MessageKind.describe("What it is made of"),
      text: z.string().describe("Its first 1,000 characters; as WhatsApp sent it along if it is not stored"),
      attachment: AttachmentSummary.nullable().describe("The file it carries"),
    })
    .nullable()
    .describe("The message it answers"),
  reactions: z
    .array(
      z.object({
        emoji: z.string().describe("The emoji"),
        fromMe: z.boolean().describe("Whether it is ours, from the phone or from here"),
        who: z.string().nullable().describe("Who of a group; null in a conversation with one person"),
        act: Act.describe("Of one made here: what became of it; null once WhatsApp has it"),
      }),
    )
    .describe("One of each person, oldest first"),
  receivedFile: ReceivedFile.nullable().describe(
    "What became of the file that it was received with; null for one that we sent from here, or without a file",
  ),
  participant: z.string().nullable().describe("Who wrote, in a group"),
  scheduled: z.boolean().describe("It waits for its time, `at`, and may be cancelled"),
  status: DeliveryStatus.nullable().describe("Of our own: what is proven of it. Null for what others wrote"),
  error: z
    .object({
      code: z.string().describe("The reason as a code"),
      text: z.string().describe("The same in words"),
    })
    .nullable()
    .describe("Why it failed or is doubtful, as a code and in words"),
  campaign: z
    .object({
      id: z.number().describe("The campaign's number"),
      name: z.string().describe("The campaign's name"),
    })
    .nullable()
    .describe("The campaign that sent it, where one did"),
  at: z.iso.datetime().describe("ISO 8601 in UTC"),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

export const AgentAnswer = z.object({
  id: z.number().describe("The answer's number"),
  chatId: z.number().describe("The conversation it belongs to"),
  chatName: z.string().describe("What that conversation is called"),
  agentName: z.string().describe("What the agent was called then"),
  state: z
    .enum(["thinking", "sent", "failed", "skipped"])
    .describe("Whether it is being made, was sent, failed, or was left out"),
  reason: z
    .object({
      code: z.string().describe("The reason as a code"),
      text: z.string().describe("The same in words"),
    })
    .nullable()
    .describe("Why it failed, was left out, or was not sent as a whole; null else"),
  text: z.string().nullable().describe("What it answered, where it came so far"),
  question: z.string().describe("The message it answers"),
  createdAt: z.iso.datetime().describe("When it began: ISO 8601 in UTC"),
  finishedAt: z.iso.datetime().nullable().describe("When it ended; null until then"),
});
export type AgentAnswer = z.infer<typeof AgentAnswer>;

export const chats = {
  list: endpoint({
    method: "GET",
    path: "/api/chats",
    summary:
      "Conversations of a connection, newest first; `search` looks in names, numbers and messages, in those sent from here too",
    access: "key",
    query: z.object({
      connectionId: RowId.describe("The connection whose conversations are wanted"),
      search: z.string().max(200).optional().describe("Words of a name or a message, or digits of a number"),
      cursor: z.string().max(200).optional().describe("The `next` of the page before"),
    }),
    answer: z.object({
      chats: z.array(Chat).describe("One page of them"),
      next: z.string().nullable().describe("The `cursor` of the page after; null on the last"),
      unread: z.number().describe("Unread messages of this connection's conversations"),
    }),
  }),
  unread: endpoint({
    method: "GET",
    path: "/api/chats/unread",
    summary: "How many messages of all conversations are unread, and of which connections",
    access: "user",
    answer: z.object({
      unread: z.number(),
      /** Only connections with unread messages. */
      connections: z.array(z.object({ connectionId: z.number(), unread: z.number() })),
    }),
  }),
  open: endpoint({
    method: "POST",
    path: "/api/chats",
    summary:
      "The conversation with a number over a connection, whether they have written or not. Nothing is sent; an empty one stands in no list before a message is in it",
    access: "key",
    body: z.strictObject({
      connectionId: RowId.describe("The connection it is to be held through"),
      phone: z
        .string()
        .max(200)
        .describe(
          "A Brazilian number in any usual form, a number with + and country code, or the digits of a known conversation or contact",
        ),
    }),
    answer: Chat,
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
    query: z.object({ older: z.string().max(200).optional().describe("The `older` of the page before") }),
    answer: z.object({
      messages: z.array(ChatMessage).describe("In ascending order"),
      older: z.string().nullable().describe("The `older` of the page before these; null at the beginning"),
      upTo: z
        .number()
        .describe("How far what others wrote is among these, for the call that says they were read"),
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
      text: z.string().default("").describe("What it is to say; may be empty where there is a file"),
      attachmentId: RowId.nullable().default(null).describe("A file stored by POST /api/attachments"),
      quotedKey: MessageParams.shape.key.optional().describe("`key` of the message that this answers"),
      sendAt: z.iso
        .datetime({ offset: true })
        .optional()
        .describe("Send it at this time instead, at most a year ahead"),
      idempotencyKey: IdempotencyKey.optional().describe(
        "The same key with the same body is the same message",
      ),
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
    params: IdParams.extend({ outboxId: RowId.describe("`outboxId` of the message") }),
    body: z.strictObject({
      evenSo: z.boolean().default(false).describe("Also where the first may have arrived"),
    }),
    answer: ChatMessage,
    status: 201,
  }),
  forward: endpoint({
    method: "POST",
    path: "/api/chats/{id}/messages/{key}/forward",
    sends: true,
    summary:
      "Send a text, or a file with its caption, once more to another conversation; a received file must be here",
    access: "key",
    params: MessageParams,
    body: z.strictObject({
      chatId: RowId.describe("The conversation it goes to"),
      idempotencyKey: IdempotencyKey.optional().describe(
        "The same key with the same body is the same message",
      ),
    }),
    answer: ChatMessage,
    status: 201,
  }),
  fetchFile: endpoint({
    method: "POST",
    path: "/api/chats/{id}/messages/{messageId}/file",
    summary:
      "Ask WhatsApp for a received file that is not here; `receivedFile` says what became of it, at first `coming`",
    access: "key",
    params: IdParams.extend({ messageId: RowId.describe("`receivedFile.messageId` of the message") }),
    answer: ChatMessage,
  }),
  cancelScheduled: endpoint({
    method: "POST",
    path: "/api/chats/{id}/messages/{outboxId}/cancel",
    summary: "Cancel a message that waits for its time; it is deleted",
    access: "key",
    params: IdParams.extend({ outboxId: RowId.describe("`outboxId` of the message") }),
    answer: z.object({}),
  }),
  react: endpoint({
    method: "PUT",
    path: "/api/chats/{id}/messages/{key}/reaction",
    sends: true,
    summary: "React to a message, in place of our reaction before; its state follows in the message",
    access: "key",
    params: MessageParams,
    body: z.strictObject({ emoji: Emoji.describe("One emoji; empty takes the reaction away") }),
    answer: ChatMessage,
  }),
  deleteForEveryone: endpoint({
    method: "DELETE",
    path: "/api/chats/{id}/messages/{key}",
    sends: true,
    summary:
      "Delete a message of ours for everyone at WhatsApp, within 60 hours; its state follows in the message",
    access: "key",
    params: MessageParams,
    answer: ChatMessage,
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
    body: z.strictObject({ assistant: z.boolean().describe("True: it answers here") }),
    answer: Chat,
  }),
  answers: endpoint({
    method: "GET",
    path: "/api/chats/{id}/answers",
    summary: "What the assistant did in this conversation, newest first",
    access: "key",
    params: IdParams,
    answer: z.object({ answers: z.array(AgentAnswer).describe("The newest first") }),
  }),
};
