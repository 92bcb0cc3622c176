import { expect, test } from "vitest";
import type { MessageSearch, StoredMessage } from "../transports/gateway/evolution-client.ts";
import { isWalked, startWalk, type Walk, walkOn } from "./gap-walk.ts";

/** A gateway's store, newest first, as it answers its pages; what is put into it shifts those that are older. */
function startStore(count: number) {
  const ids = Array.from({ length: count }, (_, nth) => `M${count - nth}`);
  const findMessages = async (_: string, { page = 1, pageSize = 50 }: MessageSearch) => ({
    total: ids.length,
    pages: Math.ceil(ids.length / pageSize),
    messages: ids
      .slice((page - 1) * pageSize, page * pageSize)
      .map((providerId): StoredMessage => ({ providerId, message: null, statuses: [] })),
  });
  return { findMessages, put: (id: string) => void ids.unshift(id) };
}

test("what comes late while a walk rests shifts the pages, and its last messages are found all the same", async () => {
  const store = startStore(500);
  const found = new Set<string>();
  const takeIn = async (page: readonly StoredMessage[]) => {
    for (const { providerId } of page) found.add(providerId);
  };
  let walk: Walk = startWalk({ from: new Date(0), to: new Date(3_600_000) });
  walk = await walkOn(store, "loja", walk, takeIn);
  store.put("late 1");
  store.put("late 2");
  while (!isWalked(walk)) walk = await walkOn(store, "loja", walk, takeIn);
  expect(found.has("M1")).toBe(true);
  expect([...found].filter((id) => id.startsWith("M"))).toHaveLength(500);
});
