import http from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { createApp } from "../http/app.ts";
import { listenHttp } from "../http/listen.ts";
import { type DoorTimes, mountWebhooks } from "./webhook-endpoint.ts";
import type { Hook, Hooks } from "./webhook-hooks.ts";

const { db } = await testDatabase();
const HOOK: Hook = { accountId: "a", connectionId: 1, instance: "loja", relays: false };

async function withDoor<T>(
  deps: {
    hooks: Pick<Hooks, "known" | "find"> & Partial<Hooks>;
    making?: boolean;
    times?: DoorTimes;
    isFull?: (accountId: string) => boolean;
  },
  work: (post: (hookId?: string, body?: BodyInit) => Promise<number>, address: string) => Promise<T>,
): Promise<T> {
  const app = createApp({
    db,
    log: testLog,
    authenticate: async () => null,
    publicOrigin: null,
    trustedProxies: 0,
  });
  mountWebhooks(app, {
    hooks: { isInUse: () => false, ...deps.hooks },
    quota: { isFull: deps.isFull ?? (() => false), stored: () => undefined },
    ...(deps.times ? { times: deps.times } : {}),
    making: async () => deps.making ?? false,
    receive: async () => null,
    log: testLog,
  });
  const { port, stop } = await listenHttp(app, "127.0.0.1", 0);
  const address = `http://127.0.0.1:${port}/hooks/evolution/`;
  try {
    return await work(
      async (hookId = "abc", body = "{}") =>
        (await fetch(`${address}${hookId}`, { method: "POST", body })).status,
      address,
    );
  } finally {
    await stop(0);
  }
}

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

test("unknown webhooks are asked to retry and do not delay known ones", async () => {
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
    expect(await post(), "a later request is looked up again").toBe(401);
  });
});

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

const KNOWN = {
  known: (accountId: string) => ({ ...HOOK, accountId }),
  find: async () => null,
};

const MB = 1024 * 1024;

function park(url: string, bytes: number, declared: number) {
  const request = http.request(url, { method: "POST", headers: { "content-length": String(declared) } });
  onTestFinished(() => void request.destroy());
  const status = new Promise<number | null>((resolve) => {
    request.on("response", (answer) => resolve(answer.statusCode ?? null));
    request.on("error", () => resolve(null));
  });
  const sent = new Promise<void>((resolve) => request.write(Buffer.alloc(bytes, " "), () => resolve()));
  return { sent: Promise.race([sent, status]), status, request };
}

test("F1b four parked uploads of 32 MB cost another account's webhook not a single 503", async () => {
  await withDoor({ hooks: KNOWN }, async (post, address) => {
    const parked = Array.from({ length: 4 }, () => park(`${address}a`, 32 * MB - 40, 32 * MB));
    await Promise.all(parked.map(({ sent }) => sent));
    expect(await post("a", Buffer.alloc(20 * MB, " "))).toBe(503);
    const answers = await Promise.all(Array.from({ length: 50 }, () => post("b")));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await post("b", Buffer.alloc(20 * MB, " "))).toBe(200);
    expect(await post("a"), "its small ones have a room of their own").toBe(200);
  });
});

test("F1b a body that comes too slowly, or for too long, is broken off with 503 and leaves its room", async () => {
  const times = { look: 10, slow: 100, longest: 1_000 };
  await withDoor({ hooks: KNOWN, times }, async (post, address) => {
    const silent = park(`${address}a`, 40, 1 * MB);
    expect(await silent.status).toBe(503);
    const long = park(`${address}a`, 30 * MB, 32 * MB);
    const drip = setInterval(() => long.request.write(Buffer.alloc(64)), 10);
    onTestFinished(() => clearInterval(drip));
    expect(await long.status).toBe(503);
    Object.assign(times, { slow: 60_000, longest: 60_000 });
    expect(await post("a", Buffer.alloc(30 * MB, " "))).toBe(200);
  });
});

test("27.1 an account with too many unread events is asked to retry, and no other", async () => {
  await withDoor({ hooks: KNOWN, isFull: (accountId) => accountId === "a" }, async (post) => {
    expect([await post("a"), await post("b")]).toEqual([503, 200]);
  });
});

test("F12 a flood of unknown webhooks keeps no instance from being looked up", async () => {
  let asked = 0;
  const gate = Promise.withResolvers<void>();
  const hooks = {
    known: () => {
      asked += 1;
      return null;
    },
    isInUse: (hookId: string) => hookId === "instance",
    async find(hookId: string) {
      if (hookId === "instance") return HOOK;
      await gate.promise;
      return null;
    },
  };
  await withDoor({ hooks }, async (post) => {
    const crowd = Array.from({ length: 40 }, (_, nth) => post(`stranger-${nth}`));
    await vi.waitFor(() => expect(asked).toBe(40), 60_000);
    expect(await post("instance")).toBe(200);
    gate.resolve();
    await Promise.all(crowd);
  });
});
