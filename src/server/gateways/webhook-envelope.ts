import { hash } from "node:crypto";

/** What must be known of an event before it is stored. Its meaning is read later (transports/gateway/webhook-events.ts). */
export type Envelope = {
  /** `messages.upsert`, `connection.update` …: lower case and dotted, however the gateway writes it. */
  event: string;
  /** Equal for the same news told again: (event, message id, status); the event alone where only the newest counts. */
  key: string;
  /** The event's own time in epoch ms, on the gateway's clock: comparable only with others of the same gateway. */
  stamp: number;
  /** Only the newest counts. */
  newestWins: boolean;
};

/** Events of which only the newest of an instance counts: a looping one fills one row with any number of them. */
export const NEWEST_WINS: ReadonlySet<string> = new Set(["connection.update", "qrcode.updated"]);

/** The gateway's time is local time marked as UTC: up to 14 h ahead. Anything later is a fault and would win for ever. */
const LATEST_MS = 15 * 3_600_000;
const EARLIEST = Date.UTC(2020, 0, 1);
const EVENT = /^[a-z0-9._-]{1,60}$/;
const ID = /^[\x21-\x7e]{1,160}$/;

/**
 * Reads what came as `{event, instance, data, date_time}`. `text` is the same body in JSON, of which events without an id make their
 * key; `now` in epoch ms.
 */
export function readEnvelope(body: Record<string, unknown>, text: () => string, now: number): Envelope {
  const event = eventOf(body.event);
  const stamp = stampOf(body.date_time, now);
  if (NEWEST_WINS.has(event)) return { event, key: event, stamp, newestWins: true };
  return { event, key: keyOf(event, body.data) ?? `${event}#${digest(text())}`, stamp, newestWins: false };
}

/** `MESSAGES_UPSERT` and `messages-upsert` are what some versions write. */
function eventOf(value: unknown): string {
  if (typeof value !== "string") return "malformed";
  if (EVENT.test(value)) return value.replaceAll(/[-_]/g, ".");
  const event = value.toLowerCase().replaceAll(/[-_]/g, ".");
  return EVENT.test(event) ? event : "malformed";
}

/** An id that is no plain word (control characters, 100 kB) gives no key; the digest of the whole does. */
function keyOf(event: string, data: unknown): string | null {
  if (typeof data !== "object" || data === null) return null;
  const { key, keyId, status } = data as Record<string, unknown>;
  const id = keyId ?? (typeof key === "object" && key !== null ? (key as { id?: unknown }).id : null);
  if (typeof id !== "string" || !ID.test(id)) return null;
  if (event === "messages.upsert" || event === "send.message") return `${event}:${id}`;
  if (event !== "messages.update" || typeof status !== "string" || !ID.test(status)) return null;
  return `${event}:${id}:${status}`;
}

/** Of what cannot be read at all: kept apart once, however often it is told. */
export function malformed(text: string, now: number): Envelope {
  return { event: "malformed", key: `malformed#${digest(text)}`, stamp: now, newestWins: false };
}

function stampOf(value: unknown, now: number): number {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return time >= EARLIEST && time <= now + LATEST_MS ? time : now;
}

const digest = (text: string) => hash("sha256", text, "base64url");
