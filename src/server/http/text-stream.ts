import { AsyncLocalStorage } from "node:async_hooks";
import type { ReaderWatch } from "./reader-watch.ts";

type Watch = Pick<ReaderWatch, "asked" | "gave" | "over" | "cut">;

/**
 * Streams text or UTF-8 bytes: slow readers slow the reading, leaving ends it. Later reads keep the request
 * context, including language.
 */
export function textStream(
  chunks: AsyncGenerator<string | Uint8Array>,
  headers: Record<string, string>,
  watch?: Watch,
): Response {
  const forCaller = AsyncLocalStorage.snapshot();
  const encoder = new TextEncoder();
  const leave = async () => {
    watch?.over();
    await chunks.return(undefined);
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      watch?.cut.addEventListener("abort", () => {
        controller.error(watch.cut.reason);
        // Not awaited: a running read ends by itself.
        leave().catch(() => undefined);
      });
    },
    async pull(controller) {
      watch?.asked();
      try {
        const { done, value } = await forCaller(() => chunks.next());
        if (watch?.cut.aborted) return;
        if (done) {
          controller.close();
          watch?.over();
        } else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      } catch (error) {
        watch?.over();
        throw error;
      } finally {
        watch?.gave();
      }
    },
    cancel: leave,
  });
  return new Response(body, { headers });
}
