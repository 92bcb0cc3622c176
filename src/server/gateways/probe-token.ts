import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** In milliseconds: how long a probe's event may take to arrive, and how long its token is good for. */
export const PROBE_MS = 8_000;
const LIFE_MS = 60_000;

/**
 * What a probe's webhook carries in its secret header: the gateway, until when, and our signature. It says all that the receiver needs,
 * so that any of our processes can tell an arriving probe from anything else, and nobody can make one up.
 */
export function probeToken(key: Buffer, gatewayId: number, now: Date): string {
  const claim = `${gatewayId}.${now.getTime() + LIFE_MS}.${randomBytes(9).toString("base64url")}`;
  return `${claim}.${sign(key, claim)}`;
}

/** The gateway whose probe this is; null for everything that we did not sign or that came too late. */
export function readProbeToken(key: Buffer, token: string, now: Date): number | null {
  const end = token.lastIndexOf(".");
  const claim = token.slice(0, Math.max(0, end));
  const given = Buffer.from(token.slice(end + 1));
  const expected = Buffer.from(sign(key, claim));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const [id = "", until = ""] = claim.split(".");
  return Number(until) >= now.getTime() ? Number(id) : null;
}

const sign = (key: Buffer, claim: string) => createHmac("sha256", key).update(claim).digest("base64url");
