import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { makeInstance, openLab, upsert } from "./lab.ts";

const own = await testDatabase();
/** Reached only by a stream that nothing interrupts: it ends when both were seen. */
const LONGEST_MS = 60_000;

test("while messages come in without end, a state is heard of and the time of the last event is written", async () => {
  let streaming = false;
  let next = 0;
  let end = 0;
  const lab = await openLab(own, {
    intake: (real) => ({
      ...real,
      receiveMessages: async (of, messages) => {
        await real.receiveMessages(of, messages);
        // Sent before this batch is done, so that the worker always finds more.
        if (streaming && performance.now() < end) await lab.send(busy, upsert(`F${next++}`, "Oi"));
      },
    }),
  });
  const [busy, other] = [await makeInstance(own.db), await makeInstance(own.db)];
  const eventAt = async () => {
    const { rows } = await sql<{ at: Date | null }>`
      select event_at as at from instance where connection_id = ${busy.connectionId}`.execute(own.db);
    return rows[0]?.at?.getTime() ?? 0;
  };

  streaming = true;
  end = performance.now() + LONGEST_MS;
  await lab.send(busy, upsert("F", "Oi"));
  await lab.send(other, {
    event: "connection.update",
    data: { state: "close" },
    date_time: new Date().toISOString(),
  });
  await expect.poll(() => lab.pokes, { timeout: LONGEST_MS + 5_000 }).toEqual([other.connectionId]);
  await expect.poll(eventAt, { timeout: LONGEST_MS + 5_000 }).toBeGreaterThan(0);
  const during = performance.now() < end;
  streaming = false;
  await lab.settled();
  expect(during).toBe(true);
});
