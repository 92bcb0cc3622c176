import { valueAt } from "../content/own-values.ts";
import type { IncomingMessage, Receipt } from "../transport.ts";
import { readMessage, readStatus } from "./read-message.ts";

/** `message` is null for what no chat shows. */
export type StoredMessage = {
  providerId: string;
  message: IncomingMessage | null;
  /** Oldest first, without times. */
  statuses: Receipt["status"][];
};

/**
 * The source names the phone's kind if typed there. An edited message has its present text and the same id.
 */
export function storedMessage(record: unknown, receivedAt: Date): StoredMessage[] {
  const source = valueAt(record, "source");
  const viaApi = source === "web" || source === "unknown";
  const read = readMessage(record, { receivedAt, viaApi });
  const id = valueAt(record, "key", "id");
  if (read.kind === "malformed" || typeof id !== "string") return [];
  const updates = valueAt(record, "MessageUpdate");
  const raw = (Array.isArray(updates) ? updates : []).map((update: unknown) => valueAt(update, "status"));
  const statuses = raw.flatMap((status) => readStatus(status) ?? []);
  if (read.kind !== "message") return [{ providerId: id, message: null, statuses }];
  const { message } = read;
  const edited = raw.includes("EDITED") ? { edits: message.providerId } : {};
  return [{ providerId: id, message: { ...message, ...edited }, statuses }];
}
