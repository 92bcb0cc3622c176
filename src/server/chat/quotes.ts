import { sql } from "kysely";
import type { MessageKind } from "../../domain/chat.ts";
import { readChatId } from "../../domain/chat-id.ts";
import type { Owner } from "../db/owner.ts";
import type { Arrival, Place } from "./arrival.ts";
import type { CleanMessage } from "./incoming.ts";
import { findKeys } from "./message-keys.ts";

export type QuotedCopy = { kind: MessageKind; text: string; fromMe: boolean | null; who: string | null };

export function quotedCopy(message: CleanMessage, ownPhone: string | null): QuotedCopy | null {
  const { quoted, names, kindOfChat } = message;
  if (quoted === null) return null;
  const { kind, text } = quoted;
  const id = readChatId(quoted.participant ?? "");
  const writer = id.kind === "phone" ? id.phone : id.kind === "lid" ? id.lid : null;
  if (writer !== null && writer === ownPhone) return { kind, text, fromMe: true, who: null };
  if (kindOfChat === "group") return { kind, text, fromMe: writer === null ? null : false, who: writer };
  const isTheirs = writer !== null && [names.phone, names.lid].includes(writer);
  return { kind, text, fromMe: isTheirs ? false : null, who: null };
}

export async function linkQuotes(
  owner: Owner,
  place: Place,
  messageKey: Uint8Array,
  arrivals: readonly Arrival[],
): Promise<void> {
  const quoting = arrivals.flatMap(({ chatId, message }) =>
    message.quotedId === null || message.kind === "reaction"
      ? []
      : [{ chatId, names: message.names, providerId: message.quotedId, in: message.providerId }],
  );
  const keys = await findKeys(owner, place, messageKey, quoting);
  const entries = quoting.flatMap((one) => {
    const key = keys.get(one);
    return key === undefined ? [] : [{ id: one.in, key }];
  });
  if (entries.length === 0) return;
  await sql`update chat_message m set quoted_key = t.key
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as t(id text, key text)
    where m.connection_id = ${place.connectionId} and m.provider_id = t.id`.execute(owner.db);
}
