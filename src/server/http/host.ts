import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { AppError } from "../../domain/errors.ts";

export type HostPlaces = {
  publicUrl: string | null;
  webhookUrl: string;
  bound: string;
  /** Default: those of the network cards. */
  ownAddresses?: () => readonly string[];
};

/** Names are compared without port. */
export type HostRule = (host: string) => boolean;

/**
 * With RECADO_URL: its host, RECADO_WEBHOOK_URL's, loopback. Otherwise loopback, the bound address and, bound
 * to all, own and private ones (containers). Other names could be a website's (DNS rebinding).
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

/** Throws `wrong_host`, or `unknown_host` without RECADO_URL. Browsers always send Host. */
export function checkHost({ hosts, publicOrigin }: Answering, request: Request): void {
  const host = request.headers.get("host");
  if (!hosts || host === null || hosts(host)) return;
  throw publicOrigin === null
    ? new AppError("unknown_host", { host: host.slice(0, LONGEST) })
    : new AppError("wrong_host", { url: publicOrigin });
}

/** Other sites lack API keys; supervisors and gateways use IP addresses. */
export const needsHost = (endpoint: EndpointSpec, request: Request): boolean =>
  !endpoint.anyHost &&
  !(endpoint.access === "key" && /^bearer /i.test(request.headers.get("authorization") ?? ""));

const LONGEST = 200;

/** Host name as browsers write it, without port and brackets. */
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
