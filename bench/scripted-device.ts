import fs from "node:fs";
import type { OpenTransport } from "../src/server/transports/transport.ts";

/**
 * Replaces the device (`scripted-preload.ts`): linked at once, accepts every message and keeps one bit per
 * phone. `BENCH_SEEN` names the file for its count.
 */
export function openDevice(): OpenTransport {
  return async (host) => {
    const marks = new Uint8Array(10_000_000 / 8);
    const seen = { accepted: 0, twice: 0 };
    const linkedAt = performance.now();
    return {
      takesOurIds: true,
      slots: 32,
      pairing: () => "scripted",
      ready: () => true,
      readyFor: () => performance.now() - linkedAt,
      onReady: () => () => undefined,
      async connect() {
        await host.report({ state: "connected", pairing: "scripted" });
      },
      async logout() {
        await host.report({ state: "disconnected" });
      },
      requestPairingCode: async () => undefined,
      typing: async () => undefined,
      async send({ to, messageId }) {
        const place = Number(to.jid.split("@")[0]?.slice(-7));
        const [at, mark] = [place >> 3, 1 << (place & 7)];
        seen.accepted += 1;
        if (((marks[at] ?? 0) & mark) !== 0) seen.twice += 1;
        marks[at] = (marks[at] ?? 0) | mark;
        await new Promise(setImmediate);
        return { kind: "accepted", providerId: messageId, at: Date.now() };
      },
      async close() {
        fs.writeFileSync(process.env.BENCH_SEEN ?? "", JSON.stringify(seen));
      },
    };
  };
}
