import { AppError } from "../../domain/errors.ts";

export const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses writes from other sites. A request without Origin and Sec-Fetch-Site is a program, without cookies
 * to abuse. `publicOrigin`: for proxies that change Host.
 */
export function checkOrigin(request: Request, publicOrigin: string | null): void {
  if (SAFE_METHODS.has(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") throw new AppError("forbidden_origin");
  const origin = request.headers.get("origin");
  if (origin === null || origin === publicOrigin) return;
  const host = hostOf(origin);
  if (host !== null && host === request.headers.get("host")) return;
  throw new AppError("forbidden_origin");
}

/** As in the Host header; none for `null` of sandboxed pages. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
