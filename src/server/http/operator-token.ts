import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** `Bearer` with RECADO_METRICS_TOKEN; always false without one. */
export function operatorToken(token: string | null): (authorization: string | null | undefined) => boolean {
  const wanted = token === null ? null : digest(`Bearer ${token}`);
  // Equal-length digests: timing reveals nothing.
  return (authorization) => wanted !== null && timingSafeEqual(digest(authorization ?? ""), wanted);
}
