import type { Gateway } from "./gateway.ts";
import { rowId } from "./identifiers.ts";
import type { Instance } from "./instance.ts";

/** The row keeps its id; no MESSAGES_UPSERT follows, and MESSAGES_UPDATE holds no text (from the 2.3 source). */
export function edit(gateway: Gateway, instance: Instance, id: string, text: string): void {
  const [message] = instance.messages.find({ id });
  if (!message) throw new Error(`no message ${id}`);
  const { key } = message.data;
  const { remoteJid, fromMe } = key;
  const editedMessage = { conversation: text };
  message.data = {
    ...message.data,
    message: editedMessage,
    messageTimestamp: Math.floor(gateway.clock.now() / 1000),
  };
  message.statuses.push({ id: rowId(), status: "EDITED", remoteJid });
  void gateway.webhooks.emit(instance, "messages.edited", {
    key: { remoteJid, fromMe, id },
    type: "MESSAGE_EDIT",
    editedMessage,
    timestampMs: String(gateway.clock.now()),
  });
  void gateway.webhooks.emit(instance, "messages.update", {
    keyId: id,
    remoteJid,
    fromMe,
    status: "SERVER_ACK",
    instanceId: instance.id,
    messageId: message.rowId,
  });
}
