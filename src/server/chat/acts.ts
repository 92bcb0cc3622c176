import { sql } from "kysely";
import { DELIVERY } from "../../domain/delivery.ts";
import { AppError } from "../../domain/errors.ts";
import { fromPlace } from "../../domain/message-id.ts";
import type { Owner } from "../db/owner.ts";
import { directMessagesOf } from "../sending/sending.ts";
import type { AboutMessage } from "../transports/transport.ts";
import { findDeleted } from "./deletions.ts";
import { findByKeys, type MessageRow } from "./messages-repo.ts";
import { namesOf, recipient } from "./names-of.ts";
import { fromUs, textOf } from "./presenter.ts";
import type { ChatRow } from "./repo.ts";

const DELETES_WITHIN_MS = 60 * 3_600_000;

export type Act = { what: "react"; emoji: string } | { what: "delete" };

type About = NonNullable<Parameters<ReturnType<typeof directMessagesOf>["enqueue"]>[0]["about"]>;

export async function aboutInChat(
  owner: Owner,
  chat: ChatRow,
  key: string,
): Promise<About & { row: MessageRow }> {
  const [row] = await findByKeys(owner, namesOf(chat), [key]);
  if (!row) throw new AppError("not_found");
  const { source, a, b } = row;
  if (source === "o") return { row, key, action: null, of: { outboxId: a } };
  if (source === "d") return { row, key, action: null, of: { campaignId: a, ...fromPlace(b) } };
  return { row, key, action: null, of: { received: await received(owner, row) } };
}

async function received({ db, accountId }: Owner, row: MessageRow): Promise<AboutMessage> {
  const { rows } = await sql<{ id: string; participant: string | null }>`
    select provider_id as id, participant from chat_message
    where id = ${row.a} and account_id = ${accountId}::uuid`.execute(db);
  const [found] = rows;
  if (!found) throw new AppError("not_found");
  return { id: found.id, fromMe: fromUs(row), participant: addressOf(found.participant), text: textOf(row) };
}

const addressOf = (participant: string | null) =>
  participant === null || participant.includes("@") ? participant : `${participant}@s.whatsapp.net`;

export async function actInChat(
  owner: Owner,
  chat: ChatRow,
  key: string,
  act: Act,
  now: Date,
): Promise<MessageRow> {
  const { row, of } = await aboutInChat(owner, chat, key);
  if (act.what === "delete") {
    mayDelete(row, now);
    if (await isBeingDeleted(owner, chat.id, key)) return row;
  }
  const text = act.what === "react" ? act.emoji : "";
  await owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const { id } = await directMessagesOf(inside).enqueue({
      connectionId: chat.connection_id,
      to: recipient(chat),
      origin: "chat",
      text,
      attachmentId: null,
      idempotencyKey: null,
      about: { key, of, action: act.what },
    });
    if (act.what === "react") await noteReaction(inside, chat.id, key, text, id, now);
    else await noteDeletion(inside, chat.id, key, id, now);
  });
  return row;
}

function mayDelete(row: MessageRow, now: Date): void {
  if (!fromUs(row)) throw new AppError("message_not_ours");
  if (row.status !== null && row.status < DELIVERY.accepted) throw new AppError("message_not_at_whatsapp");
  if (now.getTime() - row.us / 1_000 > DELETES_WITHIN_MS) throw new AppError("message_too_old_to_delete");
}

async function isBeingDeleted(owner: Owner, chatId: number, key: string): Promise<boolean> {
  const deletion = (await findDeleted(owner, chatId, [key])).get(key);
  return deletion !== undefined && !AGAIN.has(deletion.status);
}

const AGAIN: ReadonlySet<number | null> = new Set([DELIVERY.error, DELIVERY.uncertain, DELIVERY.skipped]);

async function noteReaction(
  { db, accountId }: Owner,
  chatId: number,
  key: string,
  emoji: string,
  outboxId: number,
  now: Date,
): Promise<void> {
  await sql`insert into message_reaction (chat_id, account_id, message_key, from_me, participant, emoji, at, outbox_id)
    values (${chatId}, ${accountId}::uuid, ${key}, true, '', ${emoji}, ${now}, ${outboxId})
    on conflict (chat_id, message_key, from_me, participant) do update
      set emoji = excluded.emoji, at = excluded.at, outbox_id = excluded.outbox_id`.execute(db);
}

async function noteDeletion(
  { db, accountId }: Owner,
  chatId: number,
  key: string,
  outboxId: number,
  now: Date,
): Promise<void> {
  await sql`insert into message_deletion as d (chat_id, account_id, message_key, by_writer, at, outbox_id)
    values (${chatId}, ${accountId}::uuid, ${key}, true, ${now}, ${outboxId})
    on conflict (chat_id, message_key) do update set outbox_id = excluded.outbox_id
    where d.outbox_id is not null`.execute(db);
}
