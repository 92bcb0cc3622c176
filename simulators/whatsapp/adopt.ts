import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from "baileys";
import type { SimulatorAddress } from "./simulator.ts";

const MEDIA_DOMAIN = ".whatsapp.net";
const VERSION_PAGE = "https://web.whatsapp.com/sw.js";
const OUTSIDE = [".whatsapp.com", ".whatsapp.net", ".githubusercontent.com"];

/**
 * Makes every Baileys of this process use the simulator, still verifying certificates. Only for tests, demo
 * and benchmarks.
 */
export function adoptSimulator(address: SimulatorAddress): void {
  DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = address.url;
  Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: Buffer.from(address.noiseRoot, "base64") });
  setDefaultCACertificates([...getCACertificates("default"), address.mediaCa]);
  keepInside(address);
}

function keepInside(address: SimulatorAddress): void {
  const outside = (host: string) => OUTSIDE.some((domain) => `.${host}`.endsWith(domain));
  const realFetch = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.href === VERSION_PAGE) return new Response(versionPage());
    if (!outside(url.hostname)) return realFetch(input, init);
    if (!url.hostname.endsWith(MEDIA_DOMAIN))
      throw new TypeError(`the simulator does not stand in for ${url.hostname}`);
    return realFetch(`https://${address.mediaHost}${url.pathname}${url.search}`, init);
  };

  const realLookup = dns.lookup;
  const guardedLookup = (...call: Parameters<typeof realLookup>) => {
    const [host] = call;
    const done = call.at(-1) as unknown as (error: Error) => void;
    if (!outside(host)) return realLookup(...call);
    const error = Object.assign(new Error(`${host} is outside of the simulator`), { code: "ENOTFOUND" });
    process.nextTick(done, error);
  };
  dns.lookup = Object.assign(guardedLookup, { __promisify__: realLookup.__promisify__ }) as typeof realLookup;
  syncBuiltinESMExports();
}

function versionPage(): string {
  const [, , revision] = DEFAULT_CONNECTION_CONFIG.version;
  return `{"client_revision":${revision}}`;
}
