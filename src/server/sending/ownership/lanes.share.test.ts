import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { leaseOf, takenByAnother } from "../../../../tests/support/held-lanes.ts";
import { laneProcesses } from "../../../../tests/support/lane-process.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { unhurried } from "../../../../tests/support/waiting.ts";
import { isDatabaseDown } from "../../db/errors.ts";
import { acquireConnection, findFree, releaseAllLanes, renewLeases } from "./acquire.ts";
import { hasWorkerAt, sharesOf } from "./workers.ts";

const { db, database } = await testDatabase();
// Processes end first, since they hold row locks.
afterEach(async () => {
  await sql`delete from connection`.execute(db);
  await sql`delete from worker`.execute(db);
});
const startProcess = laneProcesses({ database });

const PATIENCE = { timeout: 60_000, interval: 20 };
type Process = Awaited<ReturnType<typeof startProcess>>;

const counts = (processes: readonly Process[]) =>
  processes.map(({ lanes }) => lanes.count().owned).sort((a, b) => b - a);

async function connections(count: number): Promise<{ accountId: string; ids: number[] }> {
  const accountId = await makeAccount(db);
  const ids: number[] = [];
  for (let i = 0; i < count; i++) ids.push(await makeConnection(db, accountId));
  return { accountId, ids };
}

const workerOf = (kinds = ["device"], dataFolder: string | null = null) => ({
  id: randomUUID(),
  kinds,
  dataFolder,
});

test("a process that comes when all connections have an owner gets its share, and so does a third", async () => {
  await connections(7);
  const all = [await startProcess()];
  await vi.waitFor(() => expect(counts(all)).toEqual([7]), PATIENCE);
  all.push(await startProcess());
  await vi.waitFor(() => expect(counts(all)).toEqual([4, 3]), PATIENCE);
  all.push(await startProcess());
  await vi.waitFor(() => expect(counts(all)).toEqual([3, 2, 2]), PATIENCE);
});

test("27.10 F11 a process that finds a newer schema takes no connection, not even in its first moment", async () => {
  await connections(2);
  let looks = 0;
  const old = await startProcess({
    outdated: async () => {
      looks++;
      return true;
    },
  });
  await vi.waitFor(() => expect(looks).toBeGreaterThan(1), PATIENCE);
  expect(old.lanes.count().owned).toBe(0);
  const { rows } = await sql`select from connection where owner is not null`.execute(db);
  expect(rows).toEqual([]);
});

test("a device that is being linked stays with the process that shows its code", async () => {
  const { ids } = await connections(4);
  const [linked, ...beingLinked] = ids;
  const device = ({ connectionId }: { connectionId: number }) =>
    beingLinked.includes(connectionId) ? { pairing: () => null } : {};
  const first = await startProcess({ device });
  await vi.waitFor(() => expect(first.lanes.count().owned).toBe(4), PATIENCE);
  const second = await startProcess({ device });
  await vi.waitFor(() => expect(second.lanes.count().owned).toBe(1), PATIENCE);
  expect(new Set(second.calls)).toEqual(new Set([`connect ${linked}`]));
});

test("a stopping process releases connections to others at once although one session ends slowly", async () => {
  await connections(4);
  const ended = Promise.withResolvers<void>();
  let slow: number | null = null;
  const first = await startProcess({
    device: ({ connectionId }) => ({
      close: async () => {
        if (slow === 0) slow = connectionId;
        if (slow === connectionId) await ended.promise;
      },
    }),
  });
  await vi.waitFor(() => expect(first.lanes.count().owned).toBe(4), PATIENCE);
  const second = await startProcess();
  await vi.waitFor(() => expect(counts([first, second])).toEqual([2, 2]), PATIENCE);
  slow = 0;
  const closed = first.lanes.close(1_000);
  await vi.waitFor(() => expect(second.lanes.count().owned).toBe(3), PATIENCE).finally(ended.resolve);
  await closed;
  await vi.waitFor(() => expect(second.lanes.count().owned).toBe(4), PATIENCE);
});

test("with fewer connections than would go round, one apart is not worth a move", async () => {
  await connections(1);
  const first = await startProcess();
  await vi.waitFor(() => expect(first.lanes.count().owned).toBe(1), PATIENCE);
  const later = workerOf();
  await renewLeases(db, later);
  expect(await sharesOf(db, { ...workerOf(), id: await ownerInDatabase() })).toEqual(
    new Map([["device", { most: 1, excess: 0 }]]),
  );
});

const ownerInDatabase = async () =>
  (await sql<{ owner: string }>`select owner from connection where owner is not null limit 1`.execute(db))
    .rows[0]?.owner ?? "";

test("rebalancing during campaigns sends no duplicates and loses no one", async () => {
  const { accountId, ids } = await connections(4);
  let shared = false;
  const slowly = {
    answer: (message: { messageId: string }) =>
      new Promise<{ kind: "accepted"; providerId: string; at: number }>((resolve) => {
        const taken = () => resolve({ kind: "accepted", providerId: message.messageId, at: Date.now() });
        setTimeout(taken, shared ? 2 : 150);
      }),
  };
  const first = await startProcess(slowly);
  await vi.waitFor(() => expect(first.lanes.count().owned).toBe(4), PATIENCE);
  const campaigns: number[] = [];
  for (const [nth, connectionId] of ids.entries())
    campaigns.push(
      await makeCampaign(db, accountId, {
        people: 300,
        connectionId,
        firstPhone: 5_511_900_000_000 + nth * 1_000,
      }),
    );
  await vi.waitFor(() => expect(first.phone.frames.length).toBeGreaterThan(40), PATIENCE);
  const second = await startProcess(slowly);
  await vi.waitFor(() => expect(second.phone.frames.length).toBeGreaterThan(0), PATIENCE);
  shared = true;
  for (const id of campaigns)
    await vi.waitFor(async () => expect((await readLedger(db, id)).status).toBe("ended"), PATIENCE);
  const sent = [...first.phone.frames, ...second.phone.frames].map(({ messageId }) => messageId);
  expect(sent.length).toBe(1_200);
  expect(new Set(sent).size).toBe(1_200);
});

test("a process that died is not shared with any longer than its leases last; one that leaves is not at once", async () => {
  const [me, other] = [workerOf(), workerOf()];
  await connections(4);
  await renewLeases(db, other);
  expect((await sharesOf(db, me)).get("device")).toEqual({ most: 2, excess: 0 });
  await sql`update worker set lease_until = now() - interval '1 millisecond' where id = ${other.id}::uuid`.execute(
    db,
  );
  expect((await sharesOf(db, me)).get("device")).toEqual({ most: 4, excess: 0 });
  await renewLeases(db, other);
  await renewLeases(db, other, true);
  expect((await sharesOf(db, me)).get("device")).toEqual({ most: 4, excess: 0 });
  await renewLeases(db, other);
  await releaseAllLanes(db);
  expect((await sharesOf(db, me)).get("device")).toEqual({ most: 4, excess: 0 });
});

test("leases from before the database's clock was set back last no longer than one given now", async () => {
  const { ids } = await connections(2);
  const [dead = 0, seized = 0] = ids;
  const late = await takenByAnother(db, [dead], 3_600);
  const lasting = await takenByAnother(db, [seized], 60);
  await startProcess();
  await vi.waitFor(async () => {
    const { rows } = await sql<{ id: string; late: boolean }>`
      select id, lease_until > now() + interval '6 seconds' as late from worker where id in (${late}::uuid, ${lasting}::uuid)`.execute(
      db,
    );
    expect(new Map(rows.map((row) => [row.id, row.late]))).toEqual(
      new Map([
        [late, false],
        [lasting, true],
      ]),
    );
  }, PATIENCE);
});

test("a process frozen in the middle of a transaction does not keep a connection's row, and so the connection, for itself", async () => {
  const { ids } = await connections(1);
  const [held, wake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const frozen = db
    .transaction()
    .execute(async (tx) => {
      await sql`select from connection where id = ${ids[0]} for no key update`.execute(tx);
      held.resolve();
      await wake.promise;
      await sql`select 1`.execute(tx);
    })
    .catch((error: unknown) => error);
  await held.promise;
  const other = await startProcess();
  await vi.waitFor(() => expect(other.lanes.count().owned).toBe(1), PATIENCE);
  wake.resolve();
  expect(isDatabaseDown(await frozen)).toBe(true);
});

const waiting = async () => {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length;
};

async function holding(statement: ReturnType<typeof sql>) {
  const [done, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  onTestFinished(() => end.resolve());
  const whole = unhurried(db, async (tx) => {
    await statement.execute(tx);
    done.resolve();
    await end.promise;
  });
  await Promise.race([done.promise, whole]);
  return async () => {
    end.resolve();
    await whole;
  };
}

test("F8 a renewal waits neither for a turn nor for a change of its connections", async () => {
  const [one, two] = (await connections(2)).ids;
  const worker = workerOf();
  await renewLeases(db, worker);
  await sql`update connection set owner = ${worker.id}::uuid`.execute(db);
  const changed = await holding(sql`update connection set name = 'Matriz' where id = ${one}`);
  const turn = await holding(sql`select from connection where id = ${two} for update`);
  expect((await renewLeases(db, worker)).map(({ connectionId }) => connectionId).sort()).toEqual(
    [one, two].sort(),
  );
  await changed();
  await turn();
});

test("F8 renewals rewrite no connection during a long snapshot, and few rows of their own", async () => {
  const { ids } = await connections(20);
  const worker = workerOf();
  await renewLeases(db, worker);
  await sql`update connection set owner = ${worker.id}::uuid`.execute(db);
  const places = async () =>
    (
      await sql<{
        place: string;
      }>`select ctid::text || xmin::text as place from connection order by id`.execute(db)
    ).rows;
  const bytes = async () =>
    (await sql<{ bytes: number }>`select pg_relation_size('worker')::int as bytes`.execute(db)).rows[0]
      ?.bytes ?? Number.NaN;
  const before = await places();
  const size = await bytes();
  const reading = await holding(sql`declare reader cursor for select from connection`);
  for (let n = 0; n < 60; n++) expect(await renewLeases(db, worker)).toHaveLength(ids.length);
  expect(await places()).toEqual(before);
  expect((await bytes()) - size).toBeLessThanOrEqual(3 * 8_192);
  await reading();
});

test("a renewal that comes after its lease ended waits for who takes a connection, and answers it no more", async () => {
  const [taken = 0, kept = 0] = (await connections(2)).ids;
  const [late, taker] = [workerOf(), workerOf()];
  await renewLeases(db, late);
  await renewLeases(db, taker);
  await sql`update connection set owner = ${late.id}::uuid`.execute(db);
  await leaseOf(db, late.id, -1);
  const turn = await holding(sql`select from connection where id = ${taken} for no key update`);
  const taking = acquireConnection(db, taken, taker.id, "resend");
  await expect.poll(waiting).toBe(1);
  const renewal = renewLeases(db, late);
  await expect.poll(waiting).toBe(2);
  await turn();
  expect(await taking).toMatchObject({ connectionId: taken });
  expect((await renewal).map(({ connectionId }) => connectionId)).toEqual([kept]);
  expect(await acquireConnection(db, kept, taker.id, "resend")).toBeNull();
});

test("a process that was forgotten comes back under new fences, so that it acts on nothing that may be taken right now", async () => {
  const [connectionId = 0] = (await connections(1)).ids;
  const worker = workerOf();
  await renewLeases(db, worker);
  const taken = await acquireConnection(db, connectionId, worker.id, "resend");
  const fence = taken?.fence ?? 0;
  expect(await renewLeases(db, worker)).toMatchObject([{ connectionId, fence }]);
  await sql`delete from worker where id = ${worker.id}::uuid`.execute(db);
  expect(await renewLeases(db, worker)).toMatchObject([{ connectionId, fence: fence + 1 }]);
  expect(await renewLeases(db, worker)).toMatchObject([{ connectionId, fence: fence + 1 }]);
});

test("a live or leaving process keeps its connections; one with an ended lease or unknown loses them", async () => {
  const [connectionId = 0] = (await connections(1)).ids;
  const [owner, other] = [workerOf(), workerOf()];
  await renewLeases(db, owner);
  await acquireConnection(db, connectionId, owner.id, "resend");
  const free = async () => (await findFree(db, "device", 10)).includes(connectionId);
  const canTake = async () => {
    const taken = await acquireConnection(db, connectionId, other.id, "resend");
    await sql`update connection set owner = ${owner.id}::uuid where id = ${connectionId}`.execute(db);
    return taken !== null;
  };
  expect([await free(), await canTake()]).toEqual([false, false]);
  await renewLeases(db, owner, true);
  expect([await free(), await canTake()]).toEqual([false, false]);
  await leaseOf(db, owner.id, -1);
  expect([await free(), await canTake()]).toEqual([true, true]);
  await sql`delete from worker where id = ${owner.id}::uuid`.execute(db);
  expect([await free(), await canTake()]).toEqual([true, true]);
});

test("a kind that another process cannot open is not shared with it", async () => {
  const accountId = await makeAccount(db);
  for (let i = 0; i < 4; i++) await makeConnection(db, accountId, i < 2 ? "device" : "instance");
  await renewLeases(db, workerOf(["device"]));
  const shares = await sharesOf(db, workerOf(["device", "instance"]));
  expect(shares.get("device")?.most).toBe(1);
  expect(shares.get("instance")?.most).toBe(2);
});

test("who reads the files of a data folder is known while it lives", async () => {
  const folder = randomUUID();
  expect(await hasWorkerAt(db, folder)).toBe(false);
  const worker = workerOf(["device"], folder);
  await renewLeases(db, worker);
  expect(await hasWorkerAt(db, folder)).toBe(true);
  await renewLeases(db, worker, true);
  expect(await hasWorkerAt(db, folder)).toBe(false);
});
