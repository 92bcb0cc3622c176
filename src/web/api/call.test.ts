import { expect, onTestFinished, test, vi } from "vitest";
import { api } from "./call.ts";

/** The line breaks when a part of the answer is there. */
function answersHalf() {
  const half = new ReadableStream({
    start: (stream) => {
      stream.enqueue(new TextEncoder().encode('{"unread":'));
      stream.error(new TypeError("network error"));
    },
  });
  return new Response(half, { headers: { "content-type": "application/json" } });
}

test("an answer of which only a part came is a silent network, with words", async () => {
  vi.stubGlobal("fetch", async () => answersHalf());
  vi.stubGlobal("navigator", { onLine: true });
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(api("GET /api/chats/unread")).rejects.toMatchObject({
    ...{ name: "ApiError", status: 0, code: "unreachable" },
    text: expect.stringMatching(/\w/),
  });
});
