import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { takeEvents } from "../../src/server/gateways/webhook-repo.ts";
import { testDatabase } from "../support/database.ts";
import { endState, makeInstance, openLab, upsert } from "./lab.ts";

const own = await testDatabase();
/** Pictures of many instances on a busy machine: together longer than a pooled transaction may be idle. */
const INSTANCES = 8;
const EACH_MS = 800;

test("what a process takes in is another's soon once that process stands still, and not while it says that it is there", async () => {
  const { db } = own;
  const limit = await db.transaction().execute(async (tx) => {
    await takeEvents(tx, randomUUID());
    return sql<{
      s: number;
    }>`select extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::int as s`.execute(
      tx,
    );
  });
  expect(limit.rows[0]?.s).toBeLessThanOrEqual(10);
  const released = Promise.withResolvers<void>();
  onTestFinished(() => released.resolve());
  const lab = await openLab(own, {
    intake: (real) => ({
      ...real,
      receiveMessages: async (of, messages) => {
        await released.promise;
        return real.receiveMessages(of, messages);
      },
    }),
  });
  await lab.send(await makeInstance(db), upsert("H1", "Oi"));
  const signs = new Set<string>();
  await expect
    .poll(
      async () => {
        const { rows } = await sql<{ at: Date }>`select query_start as at from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction' and query = 'select 1'`.execute(
          db,
        );
        for (const { at } of rows) signs.add(at.toISOString());
        return signs.size;
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(1);
  released.resolve();
  await lab.settled();
  // Otherwise it would take events that the next test counts.
  await lab.close();
});

test("a slow batch is taken in once and not repeated", async () => {
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
  // A few may arrive between two checks; none is taken in repeatedly.
  expect(taken).toBe(INSTANCES);
  for (const [at, instance] of instances.entries())
    expect((await endState(own.db, instance)).messages).toMatchObject([{ provider_id: `S${at}` }]);
});
