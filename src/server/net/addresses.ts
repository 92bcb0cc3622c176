import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { AppError } from "../../domain/errors.ts";

/** Longer addresses are nobody's honest link. */
const LONGEST = 2_048;

/** Ports of web servers; anything else is somebody's internal service. */
const WEB_SERVERS = ["80", "443", "8080", "8443"];
const WEB_PORTS = new Set(["", ...WEB_SERVERS]);

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

/** What the operator can vouch for: a person's own gateway, Mistral and webhook, and pictures by their address. */
const PURPOSES = ["gateway", "mistral", "relay", "picture"] as const;
export type Purpose = (typeof PURPOSES)[number];

/** The operator's list for one purpose: `host` (every port) or `host:port`, in lower case. */
export type PrivateHosts = ReadonlySet<string>;

/** `purpose` is null in the old form, which vouches for every purpose. An empty `port` stands for none given. */
type Entry = { purpose: Purpose | null; host: string; port: string };

/**
 * Reads RECADO_PRIVATE_HOSTS for one purpose: `purpose:host:port`, separated by commas or spaces. Entries without a purpose are of the
 * old form and count for all of them; without `purpose` those alone are read.
 */
export function readPrivateHosts(text: string | undefined, purpose?: Purpose): PrivateHosts {
  const entries = partsOf(text).flatMap((part) => entryOf(part) ?? []);
  return new Set(entries.filter((one) => one.purpose === null || one.purpose === purpose).flatMap(vouchedBy));
}

/** Without a port the old form means every port, the new one those of web servers. */
function vouchedBy({ purpose, host, port }: Entry): string[] {
  if (port !== "") return [`${host}:${port}`];
  return purpose === null ? [host] : WEB_SERVERS.map((each) => `${host}:${each}`);
}

/** Which items (from 1) name no host. A scheme, a path, a range or a pattern would silently vouch for nothing. */
export function wrongPrivateHosts(text: string): number[] {
  return partsOf(text).flatMap((part, at) => (entryOf(part) === null ? [at + 1] : []));
}

/** Items of the old form, as given: they still vouch for every purpose, and the operator should hear of it. */
export function unboundPrivateHosts(text: string | undefined): string[] {
  return partsOf(text).filter((part) => entryOf(part)?.purpose === null);
}

const partsOf = (text = "") =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((part) => part !== "");

/** «relay:8080» is a server of that name in the old form: what follows a purpose is never a port alone. */
function entryOf(part: string): Entry | null {
  const purpose =
    PURPOSES.find((each) => part.startsWith(`${each}:`) && !/^[a-z]+:\d{1,5}$/.test(part)) ?? null;
  const place = placeOf(purpose === null ? part : part.slice(purpose.length + 1));
  return place && { purpose, ...place };
}

/** A host as a parsed address names it; null for what is none. */
function placeOf(part: string): Pick<Entry, "host" | "port"> | null {
  const bracketed = isIP(part) === 6 ? `[${part}]` : part;
  const [, typed = "", port = ""] = /^(\[[^\]]+\]|[^:[\]/?#@*\\]+)(?::(\d{1,5}))?$/.exec(bracketed) ?? [];
  const host = URL.parse(`http://${typed}`)?.hostname.replace(/\.$/, "") ?? "";
  // «10.0.0» is a short way to write 10.0.0.0, and was not meant so.
  const isShort = isIP(host) === 4 && host !== typed;
  return host === "" || isShort ? null : { host, port };
}

export type CheckedUrl = {
  url: URL;
  /** The operator vouches for this host: it may be inside the network. */
  vouched: boolean;
};

/**
 * Judges an address before anything is sent: http(s) only, no user and password, ports of web servers, no literal address inside a
 * network. Names are judged again by what they resolve to, when the connection is made. Throws `url_forbidden` or `url_private`.
 * A `configured` address is the operator's own and passes without an entry, which others could use as well.
 */
export function checkUrl(
  text: string,
  privateHosts: PrivateHosts,
  options: { httpsOnly?: boolean | "unless_vouched"; configured?: boolean } = {},
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
  const vouched =
    options.configured === true || privateHosts.has(host) || privateHosts.has(`${host}:${port}`);
  if (vouched) return { url, vouched };
  if (options.httpsOnly && insecure) throw refuse("https_required");
  if (!WEB_PORTS.has(url.port)) throw refuse("port");
  const literal = host.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw new AppError("url_private");
  if (host === "localhost" || host.endsWith(".localhost")) throw new AppError("url_private");
  return { url, vouched };
}
