import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { AppError } from "../../domain/errors.ts";

const LONGEST = 2_048;

/** Web ports; other ports are internal services. */
const WEB_SERVERS = ["80", "443", "8080", "8443"];
const WEB_PORTS = new Set(["", ...WEB_SERVERS]);

export type Refusal = "malformed" | "too_long" | "scheme" | "userinfo" | "port" | "https_required";

const refuse = (reason: Refusal) => new AppError("url_forbidden", { reason });

/**
 * False for loopback, private, link-local (cloud metadata), carrier-grade NAT, multicast and reserved ranges,
 * also hidden in IPv6. IANA registries, through ipaddr.js.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.process(bare);
  if (parsed.range() !== "unicast") return false;
  // Global unicast is 2000::/3; ipaddr.js has no name for some others (::7f00:1).
  const [first = 0] = parsed.kind() === "ipv6" ? parsed.toByteArray() : [0x20];
  return first >> 5 === 1;
}

const PURPOSES = ["gateway", "mistral", "relay", "picture"] as const;
export type Purpose = (typeof PURPOSES)[number];

export type PrivateHosts = ReadonlySet<string>;

/** `purpose` null: old form, valid for every purpose. `port` empty: none given. */
type Entry = { purpose: Purpose | null; host: string; port: string };

/** `purpose:host:port`, separated by commas or spaces. Entries without a purpose count for all. */
export function readPrivateHosts(text: string | undefined, purpose?: Purpose): PrivateHosts {
  const entries = partsOf(text).flatMap((part) => entryOf(part) ?? []);
  return new Set(entries.filter((one) => one.purpose === null || one.purpose === purpose).flatMap(vouchedBy));
}

/** Without a port: every port in the old form, web ports in the new. */
function vouchedBy({ purpose, host, port }: Entry): string[] {
  if (port !== "") return [`${host}:${port}`];
  return purpose === null ? [host] : WEB_SERVERS.map((each) => `${host}:${each}`);
}

/**
 * Positions (from 1) of entries without a host; a scheme, path, range or pattern would silently match
 * nothing.
 */
export function wrongPrivateHosts(text: string): number[] {
  return partsOf(text).flatMap((part, at) => (entryOf(part) === null ? [at + 1] : []));
}

/** Old entries match every purpose, so the operator is warned. */
export function unboundPrivateHosts(text: string | undefined): string[] {
  return partsOf(text).filter((part) => entryOf(part)?.purpose === null);
}

const partsOf = (text = "") =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((part) => part !== "");

/** «relay:8080» is an old-form server: a purpose is never followed by a port alone. */
function entryOf(part: string): Entry | null {
  const purpose =
    PURPOSES.find((each) => part.startsWith(`${each}:`) && !/^[a-z]+:\d{1,5}$/.test(part)) ?? null;
  const place = placeOf(purpose === null ? part : part.slice(purpose.length + 1));
  return place && { purpose, ...place };
}

function placeOf(part: string): Pick<Entry, "host" | "port"> | null {
  const bracketed = isIP(part) === 6 ? `[${part}]` : part;
  const [, typed = "", port = ""] = /^(\[[^\]]+\]|[^:[\]/?#@*\\]+)(?::(\d{1,5}))?$/.exec(bracketed) ?? [];
  const host = URL.parse(`http://${typed}`)?.hostname.replace(/\.$/, "") ?? "";
  // «10.0.0» would parse as 10.0.0.0, which was not meant.
  const isShort = isIP(host) === 4 && host !== typed;
  return host === "" || isShort ? null : { host, port };
}

export type CheckedUrl = {
  url: URL;
  /** Vouched hosts may be internal. */
  vouched: boolean;
};

/**
 * http(s), no credentials, web ports, no internal address; names are checked again when resolved.
 * `configured` addresses pass without an entry. Throws `url_forbidden`, `url_private`.
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
