import { readWebhook, type WebhookEvent } from "../../src/server/transports/gateway/webhook-events.ts";
import type { IncomingMessage } from "../../src/server/transports/transport.ts";

export const NOW = new Date("2026-11-20T12:00:00Z");

export const read = (body: unknown, at = NOW) => readWebhook(body, at);

export const messagesOf = (events: readonly WebhookEvent[]): IncomingMessage[] =>
  events.flatMap(({ content }) => (content.kind === "messages" ? content.messages : []));

export function upsert(data: object, event = "messages.upsert"): unknown {
  return { event, instance: "wa1", data, date_time: NOW.toISOString() };
}
export const KEY = { id: "3A01", remoteJid: "5511911112222@s.whatsapp.net", fromMe: false };
export const TIME = 1_795_165_559;
export const message = (part: unknown, more: object = {}): IncomingMessage | undefined =>
  messagesOf([read(upsert({ key: KEY, message: part, messageTimestamp: TIME, ...more }))])[0];
