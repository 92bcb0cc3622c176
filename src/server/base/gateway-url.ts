/** Longer addresses are nobody's server, and a webhook of ours must fit into 500 characters at the gateway. */
const LONGEST = 400;

/**
 * The address of a gateway in the one form we store and compare: http(s), without a slash at its end, without the manager's page that
 * people copy from their browser. Without a scheme it is https. Null for what cannot be a server's base address: user and password,
 * a query, a fragment, another scheme. Whether it may be reached is the guarded fetch's business.
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

/** What a gateway is called when nobody named it. `url`: as read above. */
export const hostOf = (url: string): string => new URL(url).host;
