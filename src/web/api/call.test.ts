import { expect, onTestFinished, test, vi } from "vitest";
import { api } from "./call.ts";

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
    name: "ApiError",
    status: 0,
    code: "unreachable",
    text: expect.stringMatching(/\w/),
  });
});

test.each([true, false])(
  "that sends go on is said where a screen was not read, not of what was to be sent",
  async (onLine) => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    vi.stubGlobal("navigator", { onLine });
    onTestFinished(() => void vi.unstubAllGlobals());
    const why = onLine ? "O servidor não respondeu." : "Você está sem internet.";
    await expect(api("GET /api/chats/unread")).rejects.toMatchObject({
      text: expect.stringMatching(new RegExp(`^${why} Seus envios não são afetados: `)),
    });
    const sent = api("POST /api/chats/{id}/messages", {
      params: { id: 1 },
      body: { text: "Temos 38", idempotencyKey: "k" },
    });
    await expect(sent).rejects.toMatchObject({ text: why });
  },
);

test("what our server asks of another one is waited for until the server itself has given up, and can say why", async () => {
  const waited = vi.spyOn(AbortSignal, "timeout");
  vi.stubGlobal("fetch", async () => Response.json({}));
  onTestFinished(() => {
    waited.mockRestore();
    vi.unstubAllGlobals();
  });
  const patience = async (asked: Promise<unknown>) => {
    await asked;
    return waited.mock.lastCall?.[0] ?? 0;
  };
  const own = await patience(api("GET /api/chats/unread"));
  const agentId = "ag_1";
  expect(await patience(api("GET /api/mistral/agents"))).toBeGreaterThan(own);
  expect(await patience(api("GET /api/mistral/agents/{agentId}", { params: { agentId } }))).toBeGreaterThan(
    own,
  );
  expect(await patience(api("GET /api/mistral/models"))).toBeGreaterThan(own);
});
