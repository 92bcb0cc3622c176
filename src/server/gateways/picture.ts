import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { PictureTurns } from "../files/service.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";

export type Picture = { bytes: Buffer; mime: string };

const SIDE = 192;
const MAX_BYTES = 2 * 1024 * 1024;
const FETCH_MS = 10_000;
/** WhatsApp's picture addresses expire after some days. */
const KEEP_MS = 10 * 60_000;
const KEEP = 200;

export type PictureDeps = {
  guardedFetch: Pick<GuardedFetch, "fetch">;
  turns: PictureTurns;
  clock: Pick<Clock, "monotonic">;
};
type Kept = { until: number; picture: Promise<Picture | null> };

/** Guarded, as the gateway supplies the address. Re-encoded or null, cached for ten minutes. */
export function pictures(deps: PictureDeps) {
  const kept = new Map<string, Kept>();

  return (accountId: string, address: string): Promise<Picture | null> => {
    const now = deps.clock.monotonic();
    const key = `${accountId} ${address}`;
    const known = kept.get(key);
    if (known && known.until > now) return known.picture;
    const picture = load(deps, accountId, address);
    kept.delete(key);
    kept.set(key, { until: now + KEEP_MS, picture });
    // No turn was free: do not cache.
    picture.catch(() => kept.delete(key));
    for (const oldest of kept.keys()) {
      if (kept.size <= KEEP) break;
      kept.delete(oldest);
    }
    return picture;
  };
}

async function load(
  { guardedFetch, turns }: PictureDeps,
  accountId: string,
  address: string,
): Promise<Picture | null> {
  try {
    return await turns.fetch(accountId, async () => {
      const limits = { maxBytes: MAX_BYTES, timeoutMs: FETCH_MS };
      const { status, body } = await guardedFetch.fetch(address, {
        headers: { accept: "image/*" },
        ...limits,
      });
      return status === 200 ? turns.draw(accountId, body, { side: SIDE }) : null;
    });
  } catch (error) {
    if (error instanceof AppError && error.code !== "too_many_requests") return null;
    throw error;
  }
}

/** Not executable, not cached: the address stays when the picture changes. */
export function pictureAnswer({ bytes, mime }: Picture): Response {
  return new Response(new Uint8Array(bytes), {
    headers: {
      "content-type": mime,
      "content-length": String(bytes.byteLength),
      "content-security-policy": "default-src 'none'; sandbox",
      "content-disposition": "inline",
      "cache-control": "private, max-age=300",
      // Another person may sign in next.
      vary: "cookie",
    },
  });
}
