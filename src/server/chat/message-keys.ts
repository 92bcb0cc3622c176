import { sql } from "kysely";
import { placeOf } from "../../domain/message-id.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { intakeOf } from "../sending/sending.ts";
import type { Place } from "./arrival.ts";
import type { Names } from "./incoming.ts";

export type Referred = { chatId: number; names: Names; providerId: string };

export const sentKey = (outboxId: number) => `o${outboxId}`;
export const campaignKey = (campaignId: number, place: number) => `d${campaignId}-${place}`;
export const receivedKey = (id: number) => `m${id}`;

/** Keys of stored messages; only those of the same chat, since group members know ids of other chats. */
export async function findKeys(
  owner: Owner,
  place: Place,
  messageKey: Uint8Array,
  referred: readonly Referred[],
): Promise<Map<Referred, string>> {
  const ids = [...new Set(referred.map(({ providerId }) => providerId))];
  if (ids.length === 0) return new Map();
  const sent = await intakeOf(owner, place.connectionId).findSentAs(messageKey, ids);
  const received = await findReceived(owner.db, place, ids);
  const keys = new Map<Referred, string>();
  for (const one of referred) {
    const key = sentIn(sent, one) ?? received.get(`${one.chatId} ${one.providerId}`);
    if (key !== undefined) keys.set(one, key);
  }
  return keys;
}

type SentAs = Awaited<ReturnType<ReturnType<typeof intakeOf>["findSentAs"]>>;

function sentIn(sent: SentAs, { names: { phone, jid, lid }, providerId }: Referred): string | undefined {
  const found = sent.get(providerId);
  if (!found || ![phone, jid, lid].includes(found.to)) return undefined;
  if ("outboxId" in found) return sentKey(found.outboxId);
  return campaignKey(found.campaignId, placeOf(found.seq, found.part));
}

async function findReceived(db: Db, { connectionId }: Place, ids: readonly string[]) {
  const { rows } = await sql<{ id: number; chat: number; provider: string }>`
    select id, chat_id as chat, provider_id as provider from chat_message
    where connection_id = ${connectionId} and provider_id = any(${[...ids]})`.execute(db);
  return new Map(rows.map(({ id, chat, provider }) => [`${chat} ${provider}`, receivedKey(id)]));
}
