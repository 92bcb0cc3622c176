import { type Answer, created, invalid, ok, refuse } from "./answers.ts";
import { EVENTS } from "./events.ts";
import type { Gateway } from "./gateway.ts";
import { rowId } from "./identifiers.ts";
import type { Instance, WebhookRow } from "./instance.ts";
import type { Request } from "./request.ts";

type Asked = {
  enabled: boolean;
  url: string;
  events: string[];
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
};

const LONGEST_URL = 500;

/** Omitted fields keep their value (recording 05). */
export function storeWebhook(gateway: Gateway, instance: Instance, asked: Asked): WebhookRow {
  const at = gateway.clock.iso();
  const old = instance.webhook;
  const events = asked.events.length === 0 ? EVENTS : asked.events;
  instance.webhook = {
    id: old?.id ?? rowId(),
    url: asked.url,
    headers: asked.headers ?? old?.headers ?? null,
    enabled: asked.enabled,
    events: asked.enabled ? events : [],
    webhookByEvents: asked.byEvents ?? old?.webhookByEvents ?? false,
    webhookBase64: asked.base64 ?? old?.webhookBase64 ?? false,
    createdAt: old?.createdAt ?? at,
    updatedAt: at,
    instanceId: instance.id,
  };
  return instance.webhook;
}

/** Recording 05: unpostable URLs are stored, and missing events break it. */
export function webhookSet(gateway: Gateway, { instance, body }: Request): Answer {
  const webhook = body.webhook as Partial<Asked> | undefined;
  if (webhook === undefined) throw invalid('instance requires property "webhook"');
  if (webhook.enabled === undefined) throw invalid('webhook requires property "enabled"');
  if (webhook.url === undefined) throw invalid('webhook requires property "url"');
  if (webhook.headers !== undefined && typeof webhook.headers !== "object")
    throw invalid("webhook.headers is not of a type(s) object");
  for (const [index, event] of (webhook.events ?? []).entries()) {
    if (!EVENTS.includes(event))
      throw invalid(`webhook.events[${index}] is not one of enum values: ${EVENTS.join()}`);
  }
  if (webhook.events === undefined)
    throw refuse(500, "Cannot read properties of undefined (reading 'length')");
  if (webhook.url.length > LONGEST_URL)
    throw refuse(
      500,
      "The provided value for the column is too long for the column's type. Column: (not available)",
    );
  return created(storeWebhook(gateway, instance, webhook as Asked));
}

export const webhookFind = (_gateway: Gateway, { instance }: Request): Answer => ok(instance.webhook);
