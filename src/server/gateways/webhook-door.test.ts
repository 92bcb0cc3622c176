import { expect, test, vi } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { createApp } from "../http/app.ts";
import { listenHttp } from "../http/listen.ts";
import { mountWebhooks } from "./webhook-door.ts";
import type { Hook, Hooks } from "./webhook-hooks.ts";

const { db } = await testDatabase();
const HOOK: Hook = { connectionId: 1, instance: "loja", relays: false };

/** A door that stands open for as long as `work` takes; `post` answers the status that a gateway gets for its event. */
async function withDoor<T>(
  deps: { hooks: Pick<Hooks, "known" | "find">; making?: boolean },
  work: (post: (hookId?: string) => Promise<number>) => Promise<T>,
): Promise<T> {
  const app = createApp({
    ...{ db, log: testLog, authenticate: async () => null, publicOrigin: null, trustedProxies: 0 },
  });
  mountWebhooks(app, {
    hooks: deps.hooks,
    making: async () => deps.making ?? false,
    receive: async () => null,
    log: testLog,
  });
  const { port, stop } = await listenHttp(app, "127.0.0.1", 0);
  const address = `http://127.0.0.1:${port}/hooks/evolution/`;
  try {
    return await work(
      async (hookId = "abc") => (await fetch(`${address}${hookId}`, { method: "POST", body: "{}" })).status,
    );
  } finally {
    await stop(0);
  }
}

/** What a gateway gets whose instance is stored at a moment of the test's choice. */
function answerWhen(found: readonly (Hook | null)[], making: boolean): Promise<number> {
  const looks = [...found];
  const hooks = { known: () => null, find: async () => looks.shift() ?? null };
  return withDoor({ hooks, making }, (post) => post());
}

test("an event is refused only when its instance is neither stored nor being made", async () => {
  expect(await answerWhen([null, null], false)).toBe(401);
  expect(await answerWhen([null, null], true)).toBe(503);
  expect(await answerWhen([HOOK], false)).toBe(200);
});

test("an instance that is stored between the two looks loses no event", async () => {
  expect(await answerWhen([null, HOOK], false)).toBe(200);
});

test("a crowd that nobody knows is told to come back, and costs those who are known nothing", async () => {
  let looks = 0;
  let asked = 0;
  const gate = Promise.withResolvers<void>();
  const hooks: Pick<Hooks, "known" | "find"> = {
    known: () => (asked++ === 40 ? HOOK : null),
    async find() {
      looks += 1;
      await gate.promise;
      return null;
    },
  };
  await withDoor({ hooks }, async (post) => {
    const crowd = Array.from({ length: 40 }, (_, nth) => post(`stranger-${nth}`));
    await vi.waitFor(() => expect(asked).toBe(40), 60_000);
    expect(looks).toBe(32);
    expect(await post()).toBe(200);
    gate.resolve();
    const answers = await Promise.all(crowd);
    expect(answers.filter((status) => status === 503)).toHaveLength(8);
    expect(answers.filter((status) => status === 401)).toHaveLength(32);
    expect(await post(), "whoever comes later is looked up again").toBe(401);
  });
});

/** Forty events of one gateway at the same time, while the database takes its time to say whose they are. */
async function manyOfOne(hook: Hook | null): Promise<{ looks: number; answers: number[] }> {
  let looks = 0;
  let asked = 0;
  const gate = Promise.withResolvers<void>();
  const hooks: Pick<Hooks, "known" | "find"> = {
    known() {
      asked += 1;
      return null;
    },
    async find() {
      looks += 1;
      await gate.promise;
      return hook;
    },
  };
  return withDoor({ hooks }, async (post) => {
    const events = Array.from({ length: 40 }, () => post());
    await vi.waitFor(() => expect(asked).toBe(40), 60_000);
    const before = looks;
    gate.resolve();
    return { looks: before, answers: await Promise.all(events) };
  });
}

test("many events of one gateway that is not remembered yet are looked up once, and all taken", async () => {
  expect(await manyOfOne(HOOK)).toEqual({ looks: 1, answers: Array.from({ length: 40 }, () => 200) });
});

test("who joined the look of another one is never refused for good", async () => {
  const { answers } = await manyOfOne(null);
  expect(answers.toSorted()).toEqual([401, ...Array.from({ length: 39 }, () => 503)]);
});
