import { sql } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneProcesses } from "../../../../tests/support/lane-process.ts";
import { makeAccount, makeConnection } from "../../../../tests/support/sending.ts";

const { db, database } = await testDatabase();
// Processes end first, since they hold row locks.
afterEach(async () => {
  await sql`delete from connection`.execute(db);
});
const startProcess = laneProcesses({ database });

const PATIENCE = { timeout: 60_000, interval: 20 };

async function numbers(count: number): Promise<string> {
  const accountId = await makeAccount(db);
  for (let n = 0; n < count; n++) await makeConnection(db, accountId);
  return accountId;
}

test("F4c while one account's numbers stand as they are opened, another's device and gateway connection are open", async () => {
  const busy = await numbers(20);
  const other = await makeAccount(db);
  const [device, instance] = [await makeConnection(db, other), await makeConnection(db, other, "instance")];
  const stands = Promise.withResolvers<void>();
  const it = await startProcess({
    device: async ({ accountId }) => {
      if (accountId === busy) await stands.promise;
      return {};
    },
    instance: () => ({}),
  });
  try {
    await vi.waitFor(() => {
      expect(it.calls).toContain(`connect ${device}`);
      expect(it.calls).toContain(`connect ${instance}`);
    }, PATIENCE);
    const later = await makeConnection(db, other);
    await vi.waitFor(() => expect(it.calls).toContain(`connect ${later}`), PATIENCE);
    await sql`update connection set pairing_code_wanted = true where id = ${device}`.execute(db);
    await vi.waitFor(() => expect(it.calls).toContain(`code ${device}`), PATIENCE);
    expect(it.hosts.size).toBeLessThan(20);
  } finally {
    stands.resolve();
  }
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(23), PATIENCE);
});

test("F4c of an account's hundred numbers a few are opened before another's device and gateway connection", async () => {
  await numbers(100);
  const other = await makeAccount(db);
  const [device, instance] = [await makeConnection(db, other), await makeConnection(db, other, "instance")];
  const it = await startProcess({ instance: () => ({}) });
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(102), PATIENCE);
  const order = [...it.hosts.keys()];
  for (const id of [device, instance]) expect(order.indexOf(id)).toBeLessThan(8);
});

test("connections that cannot be taken over keep none of their account's others waiting", async () => {
  const accountId = await makeAccount(db);
  const bad = [await makeConnection(db, accountId), await makeConnection(db, accountId)];
  const good = await makeConnection(db, accountId);
  await sql`create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'no' using errcode = 'data_exception'; end $$`.execute(db);
  await sql`create trigger refuse before update of owner on connection for each row
    when (old.id in (${sql.lit(bad[0])}, ${sql.lit(bad[1])})) execute function refuse()`.execute(db);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.calls).toContain(`connect ${good}`), PATIENCE);
  await sql`drop trigger refuse on connection`.execute(db);
});
