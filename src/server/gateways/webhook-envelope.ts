import { hash } from "node:crypto";

/** Content is interpreted later (transports/gateway/webhook-events.ts). */
export type Envelope = {
  /** `messages.upsert`, `connection.update` …: lower case, dotted. */
  event: string;
  /** Equal for repeats: (event, message id, status); the event alone where only the newest counts. */
  key: string;
  /** Epoch ms by the gateway's clock; compare only within one gateway. */
  stamp: number;
  newestWins: boolean;
};

export const NEWEST_WINS: ReadonlySet<string> = new Set(["connection.update", "qrcode.updated"]);

/** Local time is marked as UTC, up to 14 h ahead; anything later would win for ever. */
const LATEST_MS = 15 * 3_600_000;
const EARLIEST = Date.UTC(2020, 0, 1);
const EVENT = /^[a-z0-9._-]{1,60}$/;
const ID = /^[\x21-\x7e]{1,160}$/;

/** `text`: the body as JSON, hashed for events without an id; `now` in epoch ms. */
export function readEnvelope(body: Record<string, unknown>, text: () => string, now: number): Envelope {
  const event = eventOf(body.event);
  const stamp = stampOf(body.date_time, now);
  if (NEWEST_WINS.has(event)) return { event, key: event, stamp, newestWins: true };
  return { event, key: keyOf(event, body.data) ?? `${event}#${digest(text())}`, stamp, newestWins: false };
}

/** Some versions write `MESSAGES_UPSERT` or `messages-upsert`. */
function eventOf(value: unknown): string {
  if (typeof value !== "string") return "malformed";
  if (EVENT.test(value)) return value.replaceAll(/[-_]/g, ".");
  const event = value.toLowerCase().replaceAll(/[-_]/g, ".");
  return EVENT.test(event) ? event : "malformed";
}

/** Null for unusual ids (control characters, 100 kB); the digest is used. */
function keyOf(event: string, data: unknown): string | null {
  if (typeof data !== "object" || data === null) return null;
  const { key, keyId, status } = data as Record<string, unknown>;
  const id = keyId ?? (typeof key === "object" && key !== null ? (key as { id?: unknown }).id : null);
  if (typeof id !== "string" || !ID.test(id)) return null;
  if (event === "messages.upsert" || event === "send.message") return `${event}:${id}`;
  if (event !== "messages.update" || typeof status !== "string" || !ID.test(status)) return null;
  return `${event}:${id}:${status}`;
}

export function malformed(text: string, now: number): Envelope {
  return { event: "malformed", key: `malformed#${digest(text)}`, stamp: now, newestWins: false };
}

function stampOf(value: unknown, now: number): number {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return time >= EARLIEST && time <= now + LATEST_MS ? time : now;
}

const digest = (text: string) => hash("sha256", text, "base64url");
