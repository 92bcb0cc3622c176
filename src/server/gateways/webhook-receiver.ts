import type { Logger } from "pino";
import type { ErrorCode } from "../../domain/errors.ts";
import { isDatabaseDown } from "../db/errors.ts";
import { hasTooManyParts } from "../net/json-parts.ts";
import { textAt } from "../transports/content/own-values.ts";
import { leavingIn } from "../transports/gateway/leaving-words.ts";
import type { KeepUnrecognized } from "./unrecognized-events.ts";
import { cleanEvent } from "./webhook-clean.ts";
import { type Envelope, malformed, readEnvelope } from "./webhook-envelope.ts";
import { Busy } from "./webhook-group.ts";
import type { Hook } from "./webhook-hooks.ts";
import type { WebhookStore } from "./webhook-store.ts";

export type ReceiverDeps = {
  store: WebhookStore;
  unrecognizedEvent: KeepUnrecognized;
  log: Logger;
  now(): number;
};

const FOREIGN_EVERY_MS = 1_000;
/** A thousandth is usual; those of all instances are in memory together. */
const LONGEST_STATE = 64 * 1024;

export type Received = ErrorCode | null;

/**
 * Resolves once committed. Unknown content is answered 200 too: gateways drop an event after 4xx and repeat
 * it for minutes after 5xx.
 */
export function webhookReceiver({ store, unrecognizedEvent, log, now }: ReceiverDeps) {
  const reportedAt = new Map<number, number>();

  /** Rate-limited: they may come by the thousand. */
  async function foreign(hook: Hook, body: Record<string, unknown>): Promise<void> {
    const { connectionId } = hook;
    if (now() - (reportedAt.get(connectionId) ?? 0) < FOREIGN_EVERY_MS) return;
    reportedAt.set(connectionId, now());
    // Only names: the rest is another account's and may be nested too deeply.
    const names = { instance: body.instance, event: textAt(body, "event"), apikey: body.apikey };
    const { instance, event } = nameOf(JSON.parse(cleanEvent(names, false)));
    log.warn({ connectionId, event }, "a webhook's secret was used for another instance");
    await unrecognizedEvent(connectionId, "foreign_instance", event, JSON.stringify({ instance, event }));
  }

  return async function receive(hook: Hook, bytes: Buffer): Promise<Received> {
    // Parsing it could exhaust memory.
    if (hasTooManyParts(bytes)) return "payload_too_large";
    let parsed: unknown;
    try {
      parsed = JSON.parse(bytes.toString());
    } catch {
      return "invalid_request";
    }
    const { accountId, connectionId } = hook;
    const claimed = nameOf(parsed).instance;
    if (claimed !== null && claimed !== hook.instance) {
      await foreign(hook, parsed as Record<string, unknown>);
      return "unauthenticated";
    }
    const { envelope, body, leaving } = readEvent(parsed, hook, now());
    try {
      await store.put({ ...envelope, accountId, connectionId, body, leaving });
      return null;
    } catch (error) {
      if (!(error instanceof Busy) && !isDatabaseDown(error))
        log.error(
          { err: error, connectionId, event: envelope.event },
          "a webhook's event could not be stored",
        );
      return "unavailable";
    }
  };
}

type EventName = { instance: string | null; event: string | null };

function nameOf(body: unknown): EventName {
  if (typeof body !== "object" || body === null) return { instance: null, event: null };
  const { instance, event } = body as Record<string, unknown>;
  return {
    instance: typeof instance === "string" ? instance.slice(0, 300) : null,
    event: typeof event === "string" ? event.slice(0, 60) : null,
  };
}

type ReadEvent = { envelope: Envelope; body: string; leaving: readonly string[] };

function readEvent(parsed: unknown, hook: Hook, now: number): ReadEvent {
  const isEvent = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  try {
    const body = cleanEvent(isEvent ? (parsed as Record<string, unknown>) : { body: parsed }, hook.relays);
    if (!isEvent || nameOf(parsed).instance === null)
      return { envelope: malformed(body, now), body, leaving: [] };
    const envelope = readEnvelope(parsed as Record<string, unknown>, () => body, now);
    const leaving = leavingIn(envelope.event, parsed);
    if (!envelope.newestWins || body.length <= LONGEST_STATE) return { envelope, body, leaving };
    const reduced = JSON.stringify({ event: envelope.event, fault: "too large" });
    return { envelope: malformed(reduced, now), body: reduced, leaving };
  } catch (error) {
    // Too deep to serialize; the original contains the key.
    if (!(error instanceof RangeError)) throw error;
    const body = JSON.stringify({ fault: "too deep" });
    return { envelope: malformed(body, now), body, leaving: [] };
  }
}
