import { sql } from "kysely";
import { LEAVING_READS, leavingOf } from "../../domain/leaving.ts";
import { WRITTEN_KINDS } from "../../domain/opt-out.ts";
import type { Db } from "../db/client.ts";
import type { Conversation } from "./merge-chats.ts";

/**
 * Who wrote a word of leaving, or what may mean that, while WhatsApp told only their hidden address, in conversations that have a number from now on. Nobody
 * could be left out then: campaigns go to numbers. To be read before chats are merged, since what stands in a chat that has its number
 * was honoured when it came, and may have been taken back by hand. `chatId` is the conversation's, once merged; `before` the row of what
 * they wrote.
 */
export async function findLateLeaving(
  tx: Db,
  conversations: readonly Conversation[],
): Promise<{ phone: string; text: string; doubtful: boolean; chatId: number; before: number }[]> {
  const nameless = new Map<number, { phone: string; chatId: number }>();
  for (const { kind, keep, merge, names } of conversations)
    for (const chat of keep === null || kind === "group" ? [] : [keep, ...merge])
      if (keep && chat.phone === null && names.phone !== null)
        nameless.set(chat.id, { phone: names.phone, chatId: keep.id });
  if (nameless.size === 0) return [];
  const { rows } = await sql<{ chat: number; before: number; text: string }>`
    select chat_id as chat, id as before, left(text, ${LEAVING_READS}) as text from chat_message
    where chat_id = any(${[...nameless.keys()]}::bigint[]) and not from_me and kind = any(${[...WRITTEN_KINDS]})
    order by id`.execute(tx);
  return rows.flatMap(({ chat, before, text }) => {
    const named = nameless.get(chat);
    const leaving = leavingOf(text);
    return named && leaving !== "no" ? [{ ...named, before, text, doubtful: leaving === "maybe" }] : [];
  });
}
