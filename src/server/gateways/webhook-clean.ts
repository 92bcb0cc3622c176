/** 8 MB of media in base64. */
const MAX_MEDIA_CHARS = Math.ceil((8 * 1024 * 1024) / 3) * 4;
/** A shorter key could be part of a phone number. */
const TELLING_KEY = 16;
const KEY_NAME = /^(global)?_?api_?key$/i;
const MAX_DEPTH = 64;

type Body = Record<string, unknown>;

/**
 * Removes the key, which every body carries, and unused media. Changes `body`. `relays`: media up to the
 * limit stays.
 */
export function cleanEvent(body: Body, relays: boolean): string {
  const { apikey } = body;
  delete body.apikey;
  dropMedia(body, relays);
  const text = JSON.stringify(body);
  const named = text.includes("apikey") || text.includes("apiKey") || /api_key|API_?KEY/.test(text);
  const repeatsKey = typeof apikey === "string" && apikey.length >= TELLING_KEY && text.includes(apikey);
  if (!named && !repeatsKey) return text;
  return JSON.stringify(withoutKeys(body, repeatsKey ? apikey : null, 0));
}

function dropMedia(body: Body, relays: boolean): void {
  const { data } = body;
  if (typeof data !== "object" || data === null) return;
  const { message, key, qrcode } = data as Body;
  // A campaign's file comes back with each of its messages.
  const wanted = relays || (key as { fromMe?: unknown } | undefined)?.fromMe !== true;
  if (hasBase64(message) && !staysInside(message.base64, wanted)) delete message.base64;
  if (hasBase64(qrcode)) delete qrcode.base64;
}

function hasBase64(value: unknown): value is { base64?: unknown } {
  return typeof value === "object" && value !== null && "base64" in value;
}

function staysInside(base64: unknown, wanted: boolean): boolean {
  return wanted && typeof base64 === "string" && base64.length <= MAX_MEDIA_CHARS;
}

function withoutKeys(value: unknown, key: string | null, depth: number): unknown {
  if (typeof value === "string") return key !== null ? value.replaceAll(key, "…") : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => withoutKeys(item, key, depth + 1));
  const entries = Object.entries(value).filter(([name]) => !KEY_NAME.test(name));
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutKeys(item, key, depth + 1)]));
}
