import { Readable } from "node:stream";

export type Watch = {
  stallMs: number;
  after(ms: number, call: () => void): () => void;
  failed(error: unknown): Error;
};

/** Fails where the source fails, or brings nothing for `stallMs` while someone reads. */
export function watchedStream(source: Readable, { stallMs, after, failed }: Watch): Readable {
  const pieces = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  source.on("error", () => undefined);
  return new Readable({
    read() {
      const stalled = Object.assign(new Error("stalled"), { code: "ETIMEDOUT" });
      const cancel = after(stallMs, () => this.destroy(failed(stalled)));
      pieces
        .next()
        .finally(cancel)
        .then(({ done, value }) => this.push(done ? null : value))
        .catch((error: unknown) => {
          if (!this.destroyed) this.destroy(failed(error));
        });
    },
    destroy(error, callback) {
      source.destroy();
      callback(error);
    },
  });
}
