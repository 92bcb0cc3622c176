import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { createApp } from "../http/app.ts";
import { listenHttp } from "../http/listen.ts";
import { mountWebhooks } from "./webhook-door.ts";
import type { Hook } from "./webhook-hooks.ts";

const { db } = await testDatabase();
const HOOK: Hook = { connectionId: 1, instance: "loja", relays: false };

/** The door of an instance that is stored at a moment of the test's choice; answers what a gateway gets for its event. */
async function answerWhen(found: readonly (Hook | null)[], making: boolean): Promise<number> {
  const looks = [...found];
  const app = createApp({
    ...{ db, log: testLog, authenticate: async () => null, publicOrigin: null, trustedProxies: 0 },
  });
  mountWebhooks(app, {
    hooks: { known: () => null, find: async () => looks.shift() ?? null },
    making: async () => making,
    receive: async () => null,
    log: testLog,
  });
  const { port, stop } = await listenHttp(app, "127.0.0.1", 0);
  try {
    return (await fetch(`http://127.0.0.1:${port}/hooks/evolution/abc`, { method: "POST", body: "{}" }))
      .status;
  } finally {
    await stop(0);
  }
}

test("an event is refused only when its instance is neither stored nor being made", async () => {
  expect(await answerWhen([null, null], false)).toBe(401);
  expect(await answerWhen([null, null], true)).toBe(503);
  expect(await answerWhen([HOOK], false)).toBe(200);
});

test("an instance that is stored between the two looks loses no event", async () => {
  expect(await answerWhen([null, HOOK], false)).toBe(200);
});
