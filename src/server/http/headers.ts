/**
 * Styles may be inline because the page's components set positions and sizes that way; scripts never. `data:` and
 * `blob:` are pictures that the person has just chosen.
 */
const CSP = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join("; ");

const HEADERS: Record<string, string> = {
  "content-security-policy": CSP,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
};

/** Puts the headers on an answer that every answer carries. What an endpoint has said itself stands. */
export function secureHeaders(https: boolean) {
  return (path: string, response: Response): Response => {
    for (const [name, value] of Object.entries(HEADERS)) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    if (https) response.headers.set("strict-transport-security", "max-age=31536000");
    // Answers belong to one person: no cache between may keep them.
    if (path.startsWith("/api/") && !response.headers.has("cache-control"))
      response.headers.set("cache-control", "no-store");
    return response;
  };
}
