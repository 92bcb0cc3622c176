import { AppError } from "../../domain/errors.ts";

/** Methods that change nothing. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses a mutation that another site's page started. Browsers send Origin with every such request and Sec-Fetch-Site
 * with nearly all; a request with neither comes from a program, which carries no cookie that a page could abuse.
 * `publicOrigin` is that of RECADO_URL, for a proxy that changes the Host header.
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

/** The page's host and port, as the Host header has them. `null`, which sandboxed pages send, has none. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
