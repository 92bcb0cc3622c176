import { isIP, type LookupFunction } from "node:net";
import { Agent } from "undici";
import { AppError } from "../../domain/errors.ts";
import { checkUrl, isPublicAddress, type PrivateHosts } from "./addresses.ts";
import {
  exchange,
  type GuardedAnswer,
  type GuardedRequest,
  isRedirect,
  PRIVATE_CODE,
  urlFailed,
} from "./exchange.ts";
import { askNameServers, type LookupAll } from "./name-servers.ts";

/** The only way to fetch an address entered by a user. */
export type GuardedFetch = {
  /**
   * Returns any status. Throws `url_forbidden`, `url_private`, or `url_failed` with `UrlFailure`. Never
   * retries.
   */
  fetch(address: string, request: GuardedRequest): Promise<GuardedAnswer>;
  /** Without resolving the name. Throws `url_forbidden` or `url_private`. */
  check(address: string): void;
  /**
   * Also resolves the name, for an address that another server will call. Throws `url_failed` for an unknown
   * name.
   */
  checkResolved(address: string): Promise<void>;
  close(): Promise<void>;
};

export type GuardOptions = {
  privateHosts: PrivateHosts;
  /** Resolver for names without a vouch; default: direct queries to the name servers. */
  lookup?: LookupAll;
  connections?: number;
  ca?: string[];
};

const CONNECT_MS = 5_000;

export function openGuardedFetch(options: GuardOptions): GuardedFetch {
  const guard = new Guard(options);
  return {
    fetch: (address, request) => guard.fetch(address, request),
    check: (address) => guard.check(address),
    checkResolved: (address) => guard.checkResolved(address),
    close: () => guard.close(),
  };
}

/**
 * All addresses of a name are checked before connecting to one of them, so a second, different answer (DNS
 * rebinding) has no effect.
 */
class Guard {
  readonly #privateHosts: PrivateHosts;
  readonly #lookup: LookupAll;
  readonly #guarded: Agent;
  readonly #vouchedFor: Agent;

  constructor({ privateHosts, lookup = askNameServers(), connections = 16, ca }: GuardOptions) {
    // The limits are HTTP/1's; with HTTP/2 a request could move to another connection.
    const common = { connections, maxHeaderSize: 16_384, allowH2: false };
    const connect = { ...(ca ? { ca } : {}), timeout: CONNECT_MS };
    this.#privateHosts = privateHosts;
    this.#lookup = lookup;
    this.#guarded = new Agent({ ...common, connect: { ...connect, lookup: checkedLookup(lookup) } });
    this.#vouchedFor = new Agent({ ...common, connect });
  }

  async fetch(address: string, first: GuardedRequest): Promise<GuardedAnswer> {
    const { redirects = 0, timeoutMs } = first;
    let request = first;
    const until = performance.now() + timeoutMs;
    for (let at = address, left = redirects; ; left -= 1) {
      const { url, answer } = await this.#once(at, {
        ...request,
        redirects: left,
        // One limit for all redirects together.
        timeoutMs: left === redirects ? timeoutMs : Math.max(1, until - performance.now()),
      });
      if (!isRedirect(answer.status)) return answer;
      const { location } = answer.headers;
      if (typeof location !== "string" || !URL.canParse(location, url))
        throw urlFailed({ reason: "redirect", sent: true });
      at = new URL(location, url).href;
      request = { ...request, configured: false };
    }
  }

  check(address: string): void {
    checkUrl(address, this.#privateHosts);
  }

  async checkResolved(address: string): Promise<void> {
    const { url, vouched } = checkUrl(address, this.#privateHosts);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (vouched || isIP(host) !== 0) return;
    const found = await addressesOf(this.#lookup, host);
    if (!found.every(isPublicAddress)) throw new AppError("url_private");
  }

  async close(): Promise<void> {
    await Promise.all([this.#guarded.destroy(), this.#vouchedFor.destroy()]);
  }

  async #once(address: string, request: GuardedRequest): Promise<{ url: URL; answer: GuardedAnswer }> {
    const { httpsOnly = false, configured = false } = request;
    const { url, vouched } = checkUrl(address, this.#privateHosts, { httpsOnly, configured });
    return { url, answer: await exchange(vouched ? this.#vouchedFor : this.#guarded, url, request) };
  }
}

/** Refuses a name if any of its addresses is private. */
function checkedLookup(lookup: LookupAll): LookupFunction {
  return (hostname, options, callback) => {
    const { family, hints } = options;
    lookup(
      hostname,
      { all: true, ...(family ? { family } : {}), ...(hints ? { hints } : {}) },
      (error, addresses) => {
        if (error) return callback(error, []);
        if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) {
          return callback(Object.assign(new Error("private address"), { code: PRIVATE_CODE }), []);
        }
        const [first] = addresses;
        if (options.all || !first) return callback(null, addresses);
        return callback(null, first.address, first.family);
      },
    );
  };
}

function addressesOf(lookup: LookupAll, host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (error || addresses.length === 0) reject(urlFailed({ reason: "network", sent: false }));
      else resolve(addresses.map(({ address }) => address));
    });
  });
}
