import { createHash } from "node:crypto";
import { downloadContentFromMessage, type proto } from "baileys";
import type { Logger } from "pino";
import type { IncomingMessage, LaneHost } from "../transport.ts";

export type Pictures = {
  /** Best effort: the message is there without it. */
  fetch(message: IncomingMessage, picture: proto.Message.IImageMessage): void;
  /** Waits up to `ms` for running downloads. */
  close(ms: number): Promise<void>;
};

type PicturesDeps = { host: Pick<LaneHost, "messages">; log: Logger; retryMs: number };

const MAX_BYTES = 8 * 1024 * 1024;
const AT_ONCE = 2;
/** Further ones are skipped: a flood, or WhatsApp's host is down. */
const WAITING = 200;
const TRIES = 3;
const TIMEOUT_MS = 60_000;

/** Messages and receipts do not wait. */
export function fetchPictures({ host, log, retryMs }: PicturesDeps): Pictures {
  const waiting: (() => Promise<void>)[] = [];
  const running = new Set<Promise<void>>();
  let closed = false;

  function next(): void {
    while (!closed && running.size < AT_ONCE) {
      const work = waiting.shift();
      if (!work) return;
      const done = work().finally(() => {
        running.delete(done);
        next();
      });
      running.add(done);
    }
  }

  async function bring(message: IncomingMessage, picture: proto.Message.IImageMessage): Promise<void> {
    for (let tries = 1; tries <= TRIES && !closed; tries++) {
      try {
        await host.messages([{ ...message, image: await download(picture) }]);
        return;
      } catch (error) {
        log.info({ err: error, tries }, "a picture was not fetched");
        await new Promise((resolve) => setTimeout(resolve, retryMs * tries).unref());
      }
    }
  }

  return {
    fetch: (message, picture) => {
      if (closed || waiting.length >= WAITING) return;
      waiting.push(() => bring(message, picture));
      next();
    },
    close: async (ms) => {
      closed = true;
      waiting.length = 0;
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([Promise.allSettled([...running]), limit]);
      clearTimeout(timer);
    },
  };
}

/** Only from WhatsApp's host, because the sender chooses the address. Baileys does not check the hash. */
async function download({ mediaKey, directPath, fileSha256 }: proto.Message.IImageMessage): Promise<Buffer> {
  if (!mediaKey || !directPath || !/^\/[\w-]/.test(directPath)) throw new Error("the message names no file");
  const stream = await withinTime(downloadContentFromMessage({ mediaKey, directPath }, "image"));
  const timer = setTimeout(() => stream.destroy(new Error("the picture takes too long")), TIMEOUT_MS);
  try {
    const bytes = await collect(stream);
    if (fileSha256 && !createHash("sha256").update(bytes).digest().equals(fileSha256))
      throw new Error("the picture is not the one that was sent");
    return bytes;
  } finally {
    clearTimeout(timer);
  }
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error("the picture is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the picture takes too long")), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
