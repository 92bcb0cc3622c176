import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import type { Logger } from "pino";
import { SlowReader } from "./reader-watch.ts";

/** Otherwise the HTTP server would send the internal error text, or print it past the log's cleaning. */
export function cutWhereItFails(
  answer: Response,
  { outgoing, log }: { outgoing: Pick<ServerResponse, "destroy"> | undefined; log: Logger },
): Response {
  const { body, headers } = answer;
  if (!body || !outgoing || headers.has("content-length")) return answer;
  const forCaller = AsyncLocalStorage.snapshot();
  const reader = body.getReader();
  let left = false;
  let isCut = false;
  const cut = (error: unknown) => {
    if (left || isCut) return;
    isCut = true;
    forCaller(() => {
      if (error instanceof SlowReader) log.info({ err: error }, "a download was ended");
      else log.error({ err: error }, "an answer broke off while it was sent");
    });
    outgoing.destroy();
  };
  // A stalled client requests no next piece, so the cut cannot wait for one.
  reader.closed.catch(cut);
  const piece = () =>
    reader.read().catch((error: unknown) => {
      cut(error);
      return { done: true, value: undefined } as const;
    });
  const read = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await piece();
        if (left) return;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => {
        left = true;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(read, answer);
}
