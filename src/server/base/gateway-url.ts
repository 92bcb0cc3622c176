/** A gateway stores at most 500 characters of our webhook. */
const LONGEST = 400;

/**
 * Http(s), default https, without trailing slash or manager page. Null for credentials, query, fragment or
 * another scheme; the guarded fetch decides whether it may be called.
 */
export function readGatewayUrl(typed: string): string | null {
  const text = typed.trim();
  if (text === "" || text.length > LONGEST || /\s/.test(text)) return null;
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  if (url.username !== "" || url.password !== "" || /[?#]/.test(text)) return null;
  url.hostname = url.hostname.replace(/\.$/, "");
  if (url.hostname === "") return null;
  const path = url.pathname.replace(/\/+$/, "").replace(/\/manager(\/.*)?$/, "");
  return `${url.origin}${path}`;
}

export const hostOf = (url: string): string => new URL(url).host;
