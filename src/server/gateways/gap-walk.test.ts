import { expect, test } from "vitest";
import { AppError } from "../../domain/errors.ts";
import type { MessageSearch } from "../transports/gateway/evolution-requests.ts";
import type { StoredMessage } from "../transports/gateway/stored-message.ts";
import { isWalked, startWalk, type Walk, walkOn } from "./gap-walk.ts";

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

test("pages that are too large to be read are asked for in smaller ones, and an error of another kind is one", async () => {
  const store = startStore(300);
  const findMessages: typeof store.findMessages = async (name, search) => {
    const page = await store.findMessages(name, search);
    const large = page.messages.filter(({ providerId }) => /^M1[0-1]\d$/.test(providerId)).length;
    if (large > 15) throw new AppError("gateway_garbage", { reason: "too_large" });
    return page;
  };
  const found = new Set<string>();
  const takeIn = async (page: readonly StoredMessage[]) => {
    for (const { providerId } of page) found.add(providerId);
  };
  let walk: Walk = startWalk({ from: new Date(0), to: new Date(3_600_000) });
  while (!isWalked(walk)) walk = await walkOn({ findMessages }, "loja", walk, takeIn);
  expect(found.size).toBe(300);

  const garbage = { findMessages: () => Promise.reject(new AppError("gateway_garbage", { status: 200 })) };
  const begun = startWalk({ from: new Date(0), to: new Date(3_600_000) });
  await expect(walkOn(garbage, "loja", begun, takeIn)).rejects.toThrow("gateway_garbage");
});

test("a gateway whose every page is too large is asked a few times, and not for ever", async () => {
  let asked = 0;
  const endless = {
    findMessages() {
      asked += 1;
      return Promise.reject(new AppError("gateway_garbage", { reason: "too_large" }));
    },
  };
  let walk: Walk = startWalk({ from: new Date(0), to: new Date(3_600_000) });
  const ask = async () => {
    for (;;) walk = await walkOn(endless, "loja", walk, async () => undefined);
  };
  await expect(ask()).rejects.toThrow("gateway_garbage");
  expect(asked).toBeLessThan(10);
});
