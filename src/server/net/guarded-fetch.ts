import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher } from "undici";
import { AppError } from "../../domain/errors.ts";
import { checkUrl, isPublicAddress, type PrivateHosts } from "./addresses.ts";

export type GuardedRequest = {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The answer's body in bytes; more is cut off with `url_failed` (`too_large`). */
  maxBytes: number;
  /** From the first packet to the last byte. */
  timeoutMs: number;
  httpsOnly?: boolean;
};

export type GuardedAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

/** The only way out of this server to an address that somebody typed. */
export type GuardedFetch = {
  /**
   * Answers whatever status the other side gave, except redirects. Throws `url_forbidden` or `url_private` before or at the connection,
   * `url_failed` with the reason redirect, too_large, timeout or network.
   */
  fetch(address: string, request: GuardedRequest): Promise<GuardedAnswer>;
  close(): Promise<void>;
};

type LookupAll = (
  hostname: string,
  options: dns.LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

export type GuardOptions = {
  privateHosts: PrivateHosts;
  /** How names are resolved; the system's way unless said. */
  lookup?: LookupAll;
  /** Certificate authorities beside the system's. */
  ca?: string[];
};

const CONNECT_MS = 5_000;

/** Marks the refusal of a resolved address on its way through undici, which wraps what a lookup throws. */
const PRIVATE_CODE = "ERECADO_PRIVATE";

/**
 * Builds the client. A name is resolved once per connection, every address of the answer is checked, and the connection goes to one of
 * exactly these: a name server that answers differently the second time (DNS rebinding) is not asked a second time.
 */
export function openGuardedFetch({ privateHosts, lookup = dns.lookup, ca }: GuardOptions): GuardedFetch {
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
  const common = { headersTimeout: 30_000, bodyTimeout: 30_000, connections: 16, maxHeaderSize: 16_384 };
  const tls = ca ? { ca } : {};
  const guarded = new Agent({ ...common, connect: { ...tls, timeout: CONNECT_MS, lookup: checked } });
  const vouchedFor = new Agent({ ...common, connect: { ...tls, timeout: CONNECT_MS } });

  return {
    fetch: async (address, request) => {
      const { url, vouched } = checkUrl(address, privateHosts, request.httpsOnly ? { httpsOnly: true } : {});
      const agent = vouched ? vouchedFor : guarded;
      try {
        return await ask(agent, url, request);
      } catch (error) {
        throw faultOf(error);
      }
    },
    close: async () => {
      await Promise.all([guarded.destroy(), vouchedFor.destroy()]);
    },
  };
}

async function ask(agent: Agent, url: URL, request: GuardedRequest): Promise<GuardedAnswer> {
  const { method = "GET", headers = {}, body = null, maxBytes, timeoutMs } = request;
  const answer = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    // A compressed answer could unfold to any size.
    headers: { "accept-encoding": "identity", "user-agent": "Recado", ...headers },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  // Destroying a body makes it emit an error, and one without a listener would end the process.
  answer.body.on("error", () => undefined);
  const { statusCode: status } = answer;
  if (status >= 300 && status < 400 && status !== 304) {
    answer.body.destroy();
    throw new AppError("url_failed", { reason: "redirect" });
  }
  return { status, headers: answer.headers, body: await readLimited(answer, maxBytes) };
}

async function readLimited({ body, headers }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = Number(headers["content-length"] ?? 0) > maxBytes ? Number.POSITIVE_INFINITY : 0;
  if (size <= maxBytes) {
    for await (const chunk of body) {
      const bytes: Uint8Array = chunk;
      size += bytes.byteLength;
      if (size > maxBytes) break;
      chunks.push(bytes);
    }
  }
  if (size <= maxBytes) return Buffer.concat(chunks);
  body.destroy();
  throw new AppError("url_failed", { reason: "too_large" });
}

function faultOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  for (
    let one: unknown = error;
    typeof one === "object" && one !== null;
    one = "cause" in one ? one.cause : null
  ) {
    if ("code" in one && one.code === PRIVATE_CODE) return new AppError("url_private");
    if ("name" in one && (one.name === "TimeoutError" || one.name === "ConnectTimeoutError")) {
      return new AppError("url_failed", { reason: "timeout" });
    }
  }
  return new AppError("url_failed", { reason: "network" });
}
