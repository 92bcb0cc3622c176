import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../support/database.ts";
import { endState, type MadeInstance, makeInstance, openLab, upsert } from "./lab.ts";

const database = await testDatabase();
const PICTURE_MS = 100;
const BASE64 = "A".repeat(300 * 1024);
/** All at once they fit an account's share of what may wait to be stored, 16 MB. */
const FLOOD = 50;

test("hundreds of pictures from one gateway keep neither messages nor pictures of other accounts waiting", async () => {
  let taken = 0;
  let hostile: MadeInstance | undefined;
  let honest: MadeInstance | undefined;
  let then = 0;
  const lab = await openLab(database, {
    intake: (real) => ({
      ...real,
      receiveMessages: async (of, messages) => {
        if (of.connectionId === hostile?.connectionId) {
          for (const _ of messages) await pause(PICTURE_MS);
          taken += messages.length;
        }
        if (of.connectionId === honest?.connectionId) then = taken;
        return real.receiveMessages(of, messages);
      },
    }),
  });
  const picture = (id: string) =>
    upsert(id, "", {
      messageType: "imageMessage",
      message: { imageMessage: { mimetype: "image/jpeg" }, base64: BASE64 },
    });
  hostile = await makeInstance(database.db);
  const flooding = hostile;
  const flood = Array.from({ length: FLOOD }, (_, nth) => lab.send(flooding, picture(`P${nth}`)));
  for (const { status } of await Promise.all(flood)) expect(status).toBe(200);
  const other = await makeInstance(database.db);
  honest = other;
  await lab.send(other, upsert("T1", "Oi"));
  await lab.send(other, picture("F1"));
  const before = taken;
  await vi.waitFor(async () => expect((await endState(database.db, other)).messages).toHaveLength(2), {
    timeout: 60_000,
    interval: 20,
  });
  expect(then - before).toBeLessThan(20);
  await lab.settled();
  expect((await endState(database.db, flooding)).messages).toHaveLength(FLOOD);
});
