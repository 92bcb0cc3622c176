import { Readable } from "node:stream";
import type { Logger } from "pino";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import type { FileService } from "../files/service.ts";
import { wake } from "../sending/sending.ts";
import type { IncomingMessage } from "../transports/transport.ts";
import type { Arrival, Place } from "./arrival.ts";
import { type BroughtFile, stateOf } from "./brought-file.ts";
import { askGroupNames } from "./group-names.ts";
import { type CleanMessage, cleanMessage } from "./incoming.ts";
import type { PhoneReceipts } from "./receipts.ts";
import { findStored } from "./receive-repo.ts";
import { type StoreDeps, storeMessages } from "./store-messages.ts";
import type { StoredMessage } from "./stored-message.ts";

export type ReceiveDeps = StoreDeps & {
  db: Db;
  log: Logger;
  changes: Pick<Changes, "mark">;
  files: Pick<FileService, "storeReceived">;
  receipts: Pick<PhoneReceipts, "arrived">;
};

/**
 * Idempotent, in any order; a repeat may bring the file. Resolves after commit, with opt-outs, and the
 * assistant's notice; own sent messages are ignored.
 */
export function messageReceiver(deps: ReceiveDeps) {
  const { db, clock, log, changes, receipts, assistant } = deps;

  return async (place: Place, messages: readonly IncomingMessage[]): Promise<void> => {
    const owner = ownerOf(db, place.accountId);
    const clean = cleanBatch(messages, clock.now());
    if (clean.length < messages.length)
      log.debug({ ...place, left: messages.length - clean.length }, "messages that are none of a chat");
    if (clean.length === 0) return;
    const brought = await keepBrought(deps, owner, place, clean);
    const received = await db
      .transaction()
      .execute((tx) => storeMessages(deps, owner.in(tx), place, clean, brought));
    for (const id of received.changed) changes.mark(place.accountId, "chats", id);
    if (clean.some(({ kindOfChat }) => kindOfChat === "group"))
      await askGroupNames(db, place, [...received.changed], clock.now());
    if (received.filesComing) await wake(db, place.connectionId, "files");
    await receipts.arrived(place, received.own, [...received.ids.keys()]);
    for (const id of received.humans) await assistant.onHuman(owner, id);
    const texts = received.texts.map((arrival) => storedMessage(place, arrival, received.ids));
    if (texts.length > 0) await assistant.onIncoming(texts);
  };
}

/** The copy that brings its file wins. */
function cleanBatch(messages: readonly IncomingMessage[], now: Date): CleanMessage[] {
  const byId = new Map<string, CleanMessage>();
  for (const message of messages) {
    const clean = cleanMessage(message, now);
    // Another person may reuse one of our ids.
    const id = `${clean?.fromMe} ${clean?.providerId}`;
    if (clean && (clean.file?.content || !byId.has(id))) byId.set(id, clean);
  }
  return [...byId.values()];
}

/** Stored before the transaction, which must stay short. */
async function keepBrought(
  { db, files, log }: ReceiveDeps,
  owner: Owner,
  place: Place,
  messages: readonly CleanMessage[],
): Promise<Map<string, BroughtFile>> {
  const brought = new Map<string, BroughtFile>();
  const withContent = messages.filter(({ file }) => file?.content);
  const stored = await findStored(
    db,
    place,
    withContent.map(({ providerId }) => providerId),
  );
  for (const { providerId, file } of withContent) {
    if (!file?.content || stored.get(providerId)?.hasAttachment) continue;
    const kept = files.storeReceived(owner, file, Readable.from([file.content])).then(
      (attachmentId): BroughtFile => ({ state: "here", attachmentId }),
      (error: unknown): BroughtFile => {
        if (!(error instanceof AppError)) throw error;
        return { state: stateOf(error, log), attachmentId: null };
      },
    );
    brought.set(providerId, await kept);
  }
  return brought;
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
