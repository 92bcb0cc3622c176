import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { AppError } from "../../domain/errors.ts";

export type HostPlaces = {
  /** RECADO_URL; null when it is not set. */
  publicUrl: string | null;
  webhookUrl: string;
  /** The address that we listen at. */
  bound: string;
  /** Addresses of this machine; those of its network cards unless given. */
  ownAddresses?: () => readonly string[];
};

/** Whether we answer under this Host header. Names are compared without their port. */
export type HostRule = (host: string) => boolean;

/**
 * With RECADO_URL: its host, that of RECADO_WEBHOOK_URL, and this machine's loopback names. Without it: loopback, the bound address and,
 * bound to all, addresses of this machine and of private networks, as a container does not see the one it is reached by. Other names are
 * refused: a page on the internet can make a name of its own lead to us.
 */
export function hostRule({
  publicUrl,
  webhookUrl,
  bound,
  ownAddresses = cardAddresses,
}: HostPlaces): HostRule {
  const named = new Set(
    [publicUrl, webhookUrl].flatMap((url) => (url === null ? [] : nameOf(new URL(url).host))),
  );
  const isBound = (name: string) =>
    isEverywhere(bound) ? isNearby(name, ownAddresses) : name === nameOf(bound);
  return (host) => {
    const name = nameOf(host);
    if (name === null) return false;
    return named.has(name) || isLoopback(name) || (publicUrl === null && isBound(name));
  };
}

type Answering = { hosts?: HostRule; publicOrigin: string | null };

/** Throws `wrong_host` or, where RECADO_URL is not set, `unknown_host`. A request without a Host comes from no browser. */
export function checkHost({ hosts, publicOrigin }: Answering, request: Request): void {
  const host = request.headers.get("host");
  if (!hosts || host === null || hosts(host)) return;
  throw publicOrigin === null
    ? new AppError("unknown_host", { host: host.slice(0, LONGEST) })
    : new AppError("wrong_host", { url: publicOrigin });
}

/** A program's key proves what a page of another site does not have; supervisors and gateways know us by a number. */
export const needsHost = (endpoint: EndpointSpec, request: Request): boolean =>
  !endpoint.anyHost &&
  !(endpoint.access === "key" && /^bearer /i.test(request.headers.get("authorization") ?? ""));

const LONGEST = 200;

/** The name of a Host header or of an address to listen at, without port and brackets, as a browser would write it. */
function nameOf(host: string): string | null {
  const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}`);
  if (url?.pathname !== "/" || url.search !== "" || url.username !== "") return null;
  return url.hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "");
}

const isLoopback = (name: string) =>
  name === "localhost" || (isIP(name) !== 0 && ipaddr.process(name).range() === "loopback");

const isEverywhere = (bound: string) => isIP(bound) !== 0 && ipaddr.process(bound).range() === "unspecified";

const PRIVATE_RANGES = new Set(["private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

function isNearby(name: string, ownAddresses: () => readonly string[]): boolean {
  if (isIP(name) === 0) return false;
  return PRIVATE_RANGES.has(ipaddr.process(name).range()) || ownAddresses().includes(name);
}

const cardAddresses = () =>
  Object.values(networkInterfaces()).flatMap((cards = []) => cards.map(({ address }) => address));
