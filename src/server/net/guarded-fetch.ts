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

/** The only way out of this server to an address that somebody typed. */
export type GuardedFetch = {
  /**
   * Answers whatever status the other side gave, except redirects, which are followed only as far as `redirects` says. Throws `url_forbidden` or `url_private` before or at the connection,
   * `url_failed` with `UrlFailure`, also where a redirect leads there. Nothing is ever asked twice.
   */
  fetch(address: string, request: GuardedRequest): Promise<GuardedAnswer>;
  /** Throws `url_forbidden` or `url_private` for an address that `fetch` would refuse whatever its name resolves to. */
  check(address: string): void;
  /**
   * The same with what its name resolves to now, for an address that another server is to call. Throws `url_failed` for a name that does
   * not resolve.
   */
  checkResolved(address: string): Promise<void>;
  close(): Promise<void>;
};

export type GuardOptions = {
  privateHosts: PrivateHosts;
  /** How names are resolved that nobody vouches for; by the name servers themselves unless said. */
  lookup?: LookupAll;
  /** The most connections to one address; requests beyond them wait within their time limit. 16 unless said. */
  connections?: number;
  /** Certificate authorities beside the system's. */
  ca?: string[];
};

const CONNECT_MS = 5_000;

/**
 * Builds the client. A name is resolved once per connection, every address of the answer is checked, and the connection goes to one of
 * exactly these: a name server that answers differently the second time (DNS rebinding) is not asked a second time.
 */
export function openGuardedFetch({
  privateHosts,
  lookup = askNameServers(),
  connections = 16,
  ca,
}: GuardOptions): GuardedFetch {
  const checked: LookupFunction = (hostname, options, callback) => {
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
  // Every limit below is one of HTTP/1; over HTTP/2 others would hold, and a request could move to another connection.
  const common = { connections, maxHeaderSize: 16_384, allowH2: false };
  const tls = ca ? { ca } : {};
  const guarded = new Agent({ ...common, connect: { ...tls, timeout: CONNECT_MS, lookup: checked } });
  const vouchedFor = new Agent({ ...common, connect: { ...tls, timeout: CONNECT_MS } });

  /** One request to one address that was judged. */
  const once = async (address: string, request: GuardedRequest) => {
    const { httpsOnly = false, configured = false } = request;
    const { url, vouched } = checkUrl(address, privateHosts, { httpsOnly, configured });
    return { url, answer: await exchange(vouched ? vouchedFor : guarded, url, request) };
  };

  return {
    fetch: async (address, first) => {
      const { redirects = 0, timeoutMs } = first;
      let request = first;
      const until = performance.now() + timeoutMs;
      for (let at = address, left = redirects; ; left -= 1) {
        const { url, answer } = await once(at, {
          ...{ ...request, redirects: left },
          // The limit is one for the whole way.
          timeoutMs: left === redirects ? timeoutMs : Math.max(1, until - performance.now()),
        });
        if (!isRedirect(answer.status)) return answer;
        const { location } = answer.headers;
        if (typeof location !== "string" || !URL.canParse(location, url))
          throw urlFailed({ reason: "redirect", sent: true });
        at = new URL(location, url).href;
        request = { ...request, configured: false };
      }
    },
    check: (address) => {
      checkUrl(address, privateHosts);
    },
    checkResolved: async (address) => {
      const { url, vouched } = checkUrl(address, privateHosts);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (vouched || isIP(host) !== 0) return;
      const found = await addressesOf(lookup, host);
      if (!found.every(isPublicAddress)) throw new AppError("url_private");
    },
    close: async () => {
      await Promise.all([guarded.destroy(), vouchedFor.destroy()]);
    },
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
