import { AsyncLocalStorage } from "node:async_hooks";

/**
 * An answer of text, or of its bytes in UTF-8, that is read from the database while it is sent: a slow reader slows the reading, whoever
 * leaves ends it. What is read long after the handler has returned is still for its caller, in the caller's language.
 */
export function textStream(
  chunks: AsyncGenerator<string | Uint8Array>,
  headers: Record<string, string>,
): Response {
  const forCaller = AsyncLocalStorage.snapshot();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await forCaller(() => chunks.next());
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
  return new Response(body, { headers });
}
