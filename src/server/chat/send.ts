import type { Logger } from "pino";
import type { z } from "zod";
import type { chats } from "../../contract/chats.ts";
import { type AttachmentKind, messageKindOf } from "../../domain/attachment.ts";
import type { Clock } from "../../domain/clock.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { callersKey, directText } from "../../domain/direct-message.ts";
import { AppError } from "../../domain/errors.ts";
import type { Owner } from "../db/owner.ts";
import type { FileService } from "../files/service.ts";
import { directMessagesOf } from "../sending/sending.ts";
import { aboutInChat } from "./acts.ts";
import { findSent, type MessageRow } from "./messages-repo.ts";
import { namesOf, recipient } from "./names-of.ts";
import { type ChatRow, noteSent } from "./repo.ts";

export type SendDeps = {
  files: Pick<FileService, "kindOf" | "isLost">;
  log: Logger;
  clock: Pick<Clock, "now">;
};

type Body = z.output<typeof chats.send.body>;
type Content = {
  text: string;
  attachmentId: number | null;
  idempotencyKey: string | null;
  quotedKey?: string | undefined;
  sendAt?: Date | null;
};

/** Pending while its lane is disconnected. Answers the row. */
export async function sendInChat(
  { files, clock }: SendDeps,
  owner: Owner,
  chat: ChatRow,
  body: Body,
): Promise<MessageRow> {
  const { attachmentId } = body;
  const kind = attachmentId === null ? null : await files.kindOf(owner, attachmentId);
  const text = directText("text", body.text, kind);
  const idempotencyKey = body.idempotencyKey === undefined ? null : callersKey(body.idempotencyKey);
  const sendAt = body.sendAt === undefined ? null : laterTime(body.sendAt, clock.now());
  return post(owner, chat, { text, attachmentId, idempotencyKey, quotedKey: body.quotedKey, sendAt }, kind);
}

export async function retryInChat(
  { log }: SendDeps,
  owner: Owner,
  chat: ChatRow,
  outboxId: number,
  evenSo: boolean,
): Promise<MessageRow> {
  const row = await findSent(owner, namesOf(chat), outboxId);
  if (!row) throw new AppError("not_found");
  const doubtful = row.status === DELIVERY.uncertain;
  if (!doubtful && row.status !== DELIVERY.error) throw new AppError("chat_message_not_failed");
  if (doubtful && !evenSo) throw new AppError("chat_message_doubtful");
  const again = {
    text: row.text,
    attachmentId: row.attachment?.id ?? null,
    idempotencyKey: `chat_retry:${outboxId}`,
    quotedKey: row.quoted_key ?? undefined,
  };
  const sent = await post(owner, chat, again, row.attachment?.kind ?? null);
  if (doubtful)
    log.info(
      { accountId: owner.accountId, chatId: chat.id, outboxId, again: sent.a },
      "a person sent a doubtful message once more",
    );
  return sent;
}

const YEAR_MS = 366 * 24 * 3_600_000;

function laterTime(typed: string, now: Date): Date {
  const at = new Date(typed);
  const error =
    at <= now
      ? "campaign_schedule_past"
      : at.getTime() - now.getTime() > YEAR_MS
        ? "campaign_schedule_too_far"
        : null;
  if (error) throw new AppError("invalid_fields", { fields: { sendAt: error } });
  return at;
}

export async function cancelInChat(owner: Owner, chat: ChatRow, outboxId: number): Promise<void> {
  const row = await findSent(owner, namesOf(chat), outboxId);
  if (!row) throw new AppError("not_found");
  if (!(await directMessagesOf(owner).cancelScheduled(outboxId)))
    throw new AppError("chat_message_not_scheduled");
}

/** Answers the row of a new message, or of the one under the same key. */
export async function post(
  owner: Owner,
  chat: ChatRow,
  { quotedKey, ...content }: Content,
  attachment: AttachmentKind | null,
): Promise<MessageRow> {
  const about = quotedKey === undefined ? null : await aboutInChat(owner, chat, quotedKey);
  const id = await owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const message = {
      connectionId: chat.connection_id,
      to: recipient(chat),
      origin: "chat" as const,
      ...content,
      about,
    };
    const { id: stored, existing } = await directMessagesOf(inside).enqueue(message);
    if (!existing && !message.sendAt)
      await noteSent(inside, chat.id, content.text, attachment ? messageKindOf(attachment) : "text");
    return stored;
  });
  const row = await findSent(owner, namesOf(chat), id);
  // Same words to another person.
  if (!row) throw new AppError("idempotency_mismatch");
  return row;
}
