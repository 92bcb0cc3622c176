import type { LookupAddress, LookupAllOptions } from "node:dns";
import { Resolver } from "node:dns/promises";
import { setTimeout as pause } from "node:timers/promises";

export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const TIMING = { timeout: 2_000, tries: 2 };
/** Wait for the other address family: some name servers never answer IPv6. */
const OTHER_KIND_MS = 300;

/**
 * The system's lookup blocks libuv's few shared threads, so silent servers would delay all names, WhatsApp's
 * too. /etc/hosts is not read.
 */
export function askNameServers({ servers }: { servers?: readonly string[] } = {}): LookupAll {
  return (hostname, { family }, callback) => {
    const resolver = new Resolver(TIMING);
    if (servers) resolver.setServers(servers);
    const kinds = family === 4 || family === 6 ? [family] : [4, 6];
    addressesOf(resolver, hostname, kinds)
      .finally(() => resolver.cancel())
      .then(
        (addresses) => callback(null, addresses),
        (error: NodeJS.ErrnoException) => callback(error, []),
      );
  };
}

async function addressesOf(
  resolver: Resolver,
  hostname: string,
  kinds: readonly number[],
): Promise<LookupAddress[]> {
  const found: LookupAddress[] = [];
  const asked = kinds.map(async (family) => {
    const addresses = await (family === 6 ? resolver.resolve6(hostname) : resolver.resolve4(hostname));
    found.push(...addresses.map((address) => ({ address, family })));
  });
  await Promise.any(asked).catch((error: AggregateError) => {
    throw error.errors[0];
  });
  await Promise.race([Promise.allSettled(asked), pause(OTHER_KIND_MS, undefined, { ref: false })]);
  return found.toSorted((a, b) => a.family - b.family);
}
