import { sql } from "kysely";
import { LEAVING_READS, leavingOf } from "../../domain/leaving.ts";
import { WRITTEN_KINDS } from "../../domain/opt-out.ts";
import type { Db } from "../db/client.ts";
import type { Conversation } from "./merge-chats.ts";

/**
 * Opt-outs from hidden addresses whose number is known now. Read before chats merge: numbered chats' opt-outs
 * are applied already, perhaps reversed by hand.
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
