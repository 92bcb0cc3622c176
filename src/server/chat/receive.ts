import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import type { FileService } from "../files/service.ts";
import type { IncomingMessage } from "../transports/transport.ts";
import { askGroupNames } from "./group-names.ts";
import { type CleanMessage, cleanMessage } from "./incoming.ts";
import type { PhoneReceipts } from "./receipts.ts";
import { type Arrival, findStored, type Place } from "./receive-repo.ts";
import { type StoreDeps, storeMessages } from "./store-messages.ts";
import type { StoredMessage } from "./stored-message.ts";

export type ReceiveDeps = StoreDeps & {
  db: Db;
  log: Logger;
  changes: Pick<Changes, "mark">;
  files: Pick<FileService, "keepReceived">;
  receipts: Pick<PhoneReceipts, "arrived">;
};

/**
 * The one intake of messages, from devices and from gateways: what others wrote, and what was written from our numbers elsewhere. In any
 * order and safe to repeat; a repetition may bring the picture that a message was without. Everything of a batch is stored in one
 * transaction, with the opt-outs in it; when this resolves, all of it is committed and the assistant has been told. Messages that we
 * sent ourselves, told back to us, are left out: outbox and deliveries have them.
 */
export function messageReceiver(deps: ReceiveDeps) {
  const { db, clock, log, changes, receipts, assistant } = deps;

  return async (place: Place, messages: readonly IncomingMessage[]): Promise<void> => {
    const owner = ownerOf(db, place.accountId);
    const clean = cleanBatch(messages, clock.now());
    if (clean.length < messages.length)
      log.debug({ ...place, left: messages.length - clean.length }, "messages that are none of a chat");
    if (clean.length === 0) return;
    const images = await keepImages(deps, owner, place, clean);
    const received = await db
      .transaction()
      .execute((tx) => storeMessages(deps, owner.in(tx), place, clean, images));
    for (const id of received.changed) changes.mark(place.accountId, "chats", id);
    if (clean.some(({ kindOfChat }) => kindOfChat === "group"))
      await askGroupNames(db, place, [...received.changed], clock.now());
    await receipts.arrived(place, received.own, [...received.ids.keys()]);
    for (const id of received.humans) await assistant.onHuman(owner, id);
    const texts = received.texts.map((arrival) => storedMessage(place, arrival, received.ids));
    if (texts.length > 0) await assistant.onIncoming(texts);
  };
}

/** Each message once; of two with one id the one with the picture. */
function cleanBatch(messages: readonly IncomingMessage[], now: Date): CleanMessage[] {
  const byId = new Map<string, CleanMessage>();
  for (const message of messages) {
    const clean = cleanMessage(message, now);
    // Somebody may have taken the id of one of ours for a message of theirs.
    const id = `${clean?.fromMe} ${clean?.providerId}`;
    if (clean && (clean.image !== null || !byId.has(id))) byId.set(id, clean);
  }
  return [...byId.values()];
}

/** Pictures are decoded and encoded anew before the transaction: it must not be held up by that. */
async function keepImages(
  { db, files }: ReceiveDeps,
  owner: Owner,
  place: Place,
  messages: readonly CleanMessage[],
): Promise<Map<string, number>> {
  const images = new Map<string, number>();
  const withImage = messages.filter(({ image, kind }) => image !== null && kind === "image");
  const stored = await findStored(
    db,
    place,
    withImage.map(({ providerId }) => providerId),
  );
  for (const { providerId, image } of withImage) {
    if (!image || stored.get(providerId)?.hasImage) continue;
    const id = await files.keepReceived(owner, image);
    if (id !== null) images.set(providerId, id);
  }
  return images;
}

function storedMessage(
  place: Place,
  { chatId, message }: Arrival,
  ids: ReadonlyMap<string, number>,
): StoredMessage {
  const { kindOfChat: chatKind, names, providerId, fromMe, kind, text, at } = message;
  return {
    ...place,
    chatId,
    chatKind,
    phone: names.phone,
    id: ids.get(providerId) ?? 0,
    fromMe,
    kind,
    text,
    at,
  };
}
