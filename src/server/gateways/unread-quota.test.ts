import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { makeInstance } from "../../../tests/webhooks/lab.ts";
import { UNREAD_MOST, UnreadQuota } from "./unread-quota.ts";
import { unreadOf } from "./webhook-repo.ts";

const { db, database } = await testDatabase();

function quotaAt(clock: { ms: number }) {
  return new UnreadQuota({
    unreadOf: (...which) => unreadOf(database.prepared, ...which),
    monotonic: () => clock.ms,
    log: testLog,
  });
}

test("27.1 an account with too many unread events is full, no other one, and no longer once they are read", async () => {
  const [full, other] = [await makeInstance(db), await makeInstance(db)];
  await sql`insert into webhook_event (account_id, connection_id, key, body)
    select ${full.accountId}::uuid, ${full.connectionId}::bigint, i::text, '{}'
    from generate_series(1, ${UNREAD_MOST.events}::int) i`.execute(db);
  const clock = { ms: 0 };
  const quota = quotaAt(clock);
  for (let nth = 0; nth < 1_000; nth += 1)
    for (const { accountId } of [full, other]) quota.stored(accountId, 300);
  await vi.waitFor(() => expect(quota.isFull(full.accountId)).toBe(true), 60_000);
  expect(quota.isFull(other.accountId)).toBe(false);
  await sql`delete from webhook_event`.execute(db);
  clock.ms = 1_000;
  await vi.waitFor(() => expect(quota.isFull(full.accountId)).toBe(false), 60_000);
});

test("27.1 large events fill an account by their bytes", async () => {
  const { accountId } = await makeInstance(db);
  let bytes: number = UNREAD_MOST.bytes - 1;
  const quota = new UnreadQuota({
    unreadOf: async () => ({ events: 30, bytes }),
    monotonic: () => 0,
    log: testLog,
  });
  const counted = async () => {
    quota.stored(accountId, 16 * 1024 * 1024);
    await new Promise((resolve) => setImmediate(resolve));
    return quota.isFull(accountId);
  };
  expect(await counted()).toBe(false);
  bytes += 1;
  expect(await counted()).toBe(true);
});
