import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import type { Logger } from "pino";
import { SlowReader } from "./reader-watch.ts";

/**
 * An answer that is read while it is sent, as it is; where its reading fails, the connection is cut. Left to the HTTP server, the fault's
 * own words, which are nobody's outside, would be the answer, or be printed past the log, which cleans what it writes.
 */
export function cutWhereItFails(
  answer: Response,
  { outgoing, log }: { outgoing: Pick<ServerResponse, "destroy"> | undefined; log: Logger },
): Response {
  const { body, headers } = answer;
  // Bytes that are here already do not fail.
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
  // A client that takes nothing asks for nothing: its connection is cut when the reading is, not at the next piece.
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
        // Whoever left meanwhile has closed it already.
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
