import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { endState, makeInstance, openLab, upsert } from "./lab.ts";

const own = await testDatabase();
/** Many instances with pictures on a busy machine: longer in all than a transaction of the pool may stand still. */
const INSTANCES = 8;
const EACH_MS = 800;

test("a batch that takes long to be taken in is taken in once, not for ever anew", async () => {
  let taken = 0;
  const lab = await openLab(own, {
    intake: (real) => ({
      ...real,
      receiveMessages: async (of, messages) => {
        taken++;
        await pause(EACH_MS);
        return real.receiveMessages(of, messages);
      },
    }),
  });
  const instances = await Promise.all(Array.from({ length: INSTANCES }, () => makeInstance(own.db)));
  await Promise.all(instances.map((instance, at) => lab.send(instance, upsert(`S${at}`, "Oi"))));
  await lab.settled();
  // A few may have come between two looks; none is taken in again and again.
  expect(taken).toBe(INSTANCES);
  for (const [at, instance] of instances.entries())
    expect((await endState(own.db, instance)).messages).toMatchObject([{ provider_id: `S${at}` }]);
});
