import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { AppError } from "../../domain/errors.ts";

/** Longer addresses are nobody's honest link. */
const LONGEST = 2_048;

/** Ports of web servers; anything else is somebody's internal service. */
const WEB_PORTS = new Set(["", "80", "443", "8080", "8443"]);

/** Why an address is not fetched, for the log and the answer's details. */
export type Refusal = "malformed" | "too_long" | "scheme" | "userinfo" | "port" | "https_required";

const refuse = (reason: Refusal) => new AppError("url_forbidden", { reason });

/**
 * True for an address of the public internet. Loopback, private, link-local (cloud metadata), carrier-grade NAT, multicast, benchmarking
 * and reserved ranges are not, nor are IPv6 forms that hide an IPv4 address. IANA special-purpose registries, through ipaddr.js.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.process(bare);
  if (parsed.range() !== "unicast") return false;
  // Global unicast is 2000::/3; what ipaddr.js does not name outside of it (::7f00:1, for one) is no exception.
  const [first = 0] = parsed.kind() === "ipv6" ? parsed.toByteArray() : [0x20];
  return first >> 5 === 1;
}

/** The operator's list: `host` or `host:port`, compared in lower case. */
export type PrivateHosts = ReadonlySet<string>;

/** Reads RECADO_PRIVATE_HOSTS: names or addresses, with or without a port, separated by commas or spaces. */
export function readPrivateHosts(text: string | undefined): PrivateHosts {
  return new Set(partsOf(text).flatMap((part) => hostOf(part) ?? []));
}

/** Which of them (from 1) name no host: an address with a scheme or a path, a range, a pattern would vouch for nobody, silently. */
export function wrongPrivateHosts(text: string): number[] {
  return partsOf(text).flatMap((part, at) => (hostOf(part) === null ? [at + 1] : []));
}

const partsOf = (text = "") =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((part) => part !== "");

/** A host as a parsed address names it; null for what is none. */
function hostOf(part: string): string | null {
  const told = isIP(part) === 6 ? `[${part}]` : part;
  const [, typed = "", port = ""] = /^(\[[^\]]+\]|[^:[\]/?#@*\\]+)(:\d{1,5})?$/.exec(told) ?? [];
  const host = URL.parse(`http://${typed}`)?.hostname.replace(/\.$/, "") ?? "";
  // «10.0.0» is a short way to write 10.0.0.0, and was not meant so.
  const isShort = isIP(host) === 4 && host !== typed;
  return host === "" || isShort ? null : `${host}${port}`;
}

export type CheckedUrl = {
  url: URL;
  /** The operator vouches for this host: it may be inside the network. */
  vouched: boolean;
};

/**
 * Judges an address before anything is sent: http(s) only, no user and password, ports of web servers, no literal address inside a
 * network. Names are judged again by what they resolve to, when the connection is made. Throws `url_forbidden` or `url_private`.
 */
export function checkUrl(
  text: string,
  privateHosts: PrivateHosts,
  options: { httpsOnly?: boolean | "unless_vouched" } = {},
): CheckedUrl {
  if (text.length > LONGEST) throw refuse("too_long");
  const url = URL.parse(text.trim());
  if (!url || url.hostname === "") throw refuse("malformed");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refuse("scheme");
  const insecure = url.protocol !== "https:";
  if (options.httpsOnly === true && insecure) throw refuse("https_required");
  if (url.username !== "" || url.password !== "") throw refuse("userinfo");
  url.hash = "";
  const host = url.hostname.replace(/\.$/, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const vouched = privateHosts.has(host) || privateHosts.has(`${host}:${port}`);
  if (vouched) return { url, vouched };
  if (options.httpsOnly && insecure) throw refuse("https_required");
  if (!WEB_PORTS.has(url.port)) throw refuse("port");
  const literal = host.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw new AppError("url_private");
  if (host === "localhost" || host.endsWith(".localhost")) throw new AppError("url_private");
  return { url, vouched };
}
