/**
 * Inline styles: components set positions and sizes; never inline scripts. `data:` and `blob:` are chosen
 * images.
 */
const CSP = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
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
  "permissions-policy": "camera=(), microphone=(self), geolocation=(), payment=()",
};

/** An endpoint's own headers win. */
export function secureHeaders(https: boolean) {
  return (path: string, response: Response): Response => {
    for (const [name, value] of Object.entries(HEADERS)) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    if (https) response.headers.set("strict-transport-security", "max-age=31536000");
    // Personal answers: no shared cache.
    if (path.startsWith("/api/") && !response.headers.has("cache-control"))
      response.headers.set("cache-control", "no-store");
    return response;
  };
}
