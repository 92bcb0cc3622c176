import fs from "node:fs";
import pino from "pino";
import { uploadFile } from "../src/server/transports/device/upload-file.ts";
import type { OpenTransport } from "../src/server/transports/transport.ts";

/**
 * Replaces the device (`scripted-preload.ts`): linked at once, accepts every message and keeps one bit per
 * phone. `BENCH_SEEN` names the file for its count.
 */
export function openDevice(): OpenTransport {
  return async (host) => {
    const marks = new Uint8Array(10_000_000 / 8);
    const seen = { accepted: 0, twice: 0, videos: 0, uploadedBytes: 0 };
    const log = pino({ level: "warn" });
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
      /** Encrypted as Baileys does it, and read once more, as by an upload. */
      upload: (file) =>
        uploadFile(
          async (encrypted) => {
            for await (const part of fs.createReadStream(encrypted))
              seen.uploadedBytes += (part as Buffer).byteLength;
            return { mediaUrl: "https://mmg.whatsapp.net/v", directPath: "/v" };
          },
          file,
          log,
        ),
      async send({ to, messageId, media }) {
        if (media !== null) seen.videos += 1;
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
