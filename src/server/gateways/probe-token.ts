import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Milliseconds; also the token's lifetime. */
export const PROBE_MS = 8_000;
const LIFE_MS = 60_000;

/** Gateway, expiry and signature, so that any process can verify it. */
export function probeToken(key: Buffer, gatewayId: number, now: Date): string {
  const claim = `${gatewayId}.${now.getTime() + LIFE_MS}.${randomBytes(9).toString("base64url")}`;
  return `${claim}.${sign(key, claim)}`;
}

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
