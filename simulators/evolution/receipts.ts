import type { Gateway } from "./gateway.ts";
import { rowId } from "./identifiers.ts";
import type { Instance } from "./instance.ts";
import type { StoredMessage } from "./message-store.ts";
import type { Person } from "./people.ts";

export type ReceiptStatus = "ERROR" | "SERVER_ACK" | "DELIVERY_ACK" | "READ" | "PLAYED";

/** Recordings 09d, 11. */
function receipt(
  gateway: Gateway,
  instance: Instance,
  message: StoredMessage,
  remoteJid: string,
  status: ReceiptStatus,
) {
  if (instance.deleted || gateway.random() < gateway.lostUpdates) return;
  const { key } = message.data;
  message.statuses.push({ id: rowId(), status, remoteJid });
  void gateway.webhooks.emit(instance, "messages.update", {
    keyId: key.id,
    remoteJid,
    fromMe: true,
    status,
    instanceId: instance.id,
    messageId: message.rowId,
  });
}

export function scheduleReceipts(
  gateway: Gateway,
  instance: Instance,
  message: StoredMessage,
  person: Person,
): void {
  const jid = person.receiptsAsLid ? person.lidJid : message.data.key.remoteJid;
  const at = (ms: number | null, status: ReceiptStatus) => {
    if (ms !== null) gateway.clock.soon(ms, () => receipt(gateway, instance, message, jid, status));
  };
  if (person.refused) {
    at(person.deliveredMs ?? 0, "ERROR");
    return;
  }
  at(person.serverAckMs, "SERVER_ACK");
  at(person.deliveredMs, "DELIVERY_ACK");
  if (person.deliveredMs !== null && person.readMs !== null)
    at(Math.max(person.readMs, person.deliveredMs), "READ");
}

export function readEverything(gateway: Gateway, instance: Instance, person: Person): void {
  const jid = person.receiptsAsLid ? person.lidJid : person.jid;
  for (const message of instance.messages.ofChat(person.jid)) {
    if (!message.data.key.fromMe || message.statuses.some(({ status }) => status === "READ")) continue;
    receipt(gateway, instance, message, jid, "READ");
  }
}
