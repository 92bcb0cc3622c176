import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Whether an Authorization header is the operator's: `Bearer` with RECADO_METRICS_TOKEN. Without a token nothing is. */
export function operatorToken(token: string | null): (authorization: string | null | undefined) => boolean {
  const wanted = token === null ? null : digest(`Bearer ${token}`);
  // Digests, which are of one length: nothing is learnt from how long a comparison takes.
  return (authorization) => wanted !== null && timingSafeEqual(digest(authorization ?? ""), wanted);
}
