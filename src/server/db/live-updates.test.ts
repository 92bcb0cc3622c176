import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { type Change, TOPICS } from "../../contract/events.ts";
import { openDatabase } from "./client.ts";
import { openLiveUpdates } from "./live-updates.ts";

const { database, url } = await testDatabase();

const [ANA, BIA] = ["0a6f6b1c-0000-4000-8000-00000000000a", "0a6f6b1c-0000-4000-8000-00000000000b"];

function ear(accountId: string) {
  const heard: Change[] = [];
  const waiting: { count: number; done: () => void }[] = [];
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  return {
    heard,
    end,
    until: (count: number) =>
      heard.length >= count ? undefined : new Promise<void>((done) => waiting.push({ count, done })),
    subscriber: {
      accountId,
      onEnd: ended,
      onChange(change: Change) {
        heard.push(change);
        for (const { count, done } of waiting) if (heard.length >= count) done();
      },
    },
  };
}

test("a change marked in one process is heard in all, by its own account alone, once a window @decision 19", async () => {
  const other = openDatabase(url, { log: testLog });
  const [here, there] = [await openLiveUpdates(database, testLog), await openLiveUpdates(other, testLog)];
  const [ana, bia, far] = [ear(ANA), ear(BIA), ear(ANA)];
  here.subscribe(ana.subscriber);
  here.subscribe(bia.subscriber);
  there.subscribe(far.subscriber);

  for (let times = 0; times < 100; times++) here.mark(ANA, "campaigns", 7);
  here.mark(ANA, "contacts");
  here.mark(BIA, "imports", 1);
  await Promise.all([ana.until(2), far.until(2), bia.until(1)]);
  const both = [
    { topic: "campaigns", id: 7 },
    { topic: "contacts", id: null },
  ];
  expect(ana.heard).toEqual(both);
  expect(far.heard).toEqual(both);
  expect(bia.heard).toEqual([{ topic: "imports", id: 1 }]);
  await Promise.all([here.close(), there.close()]);
  await other.close();
});

test("changes after a process ended its streams still reach the others", async () => {
  const other = openDatabase(url, { log: testLog });
  const [here, there] = [await openLiveUpdates(database, testLog), await openLiveUpdates(other, testLog)];
  const ana = ear(ANA);
  here.subscribe(ana.subscriber);
  await there.close();
  there.mark(ANA, "campaigns", 7);
  await other.query("select 1");
  await other.close();
  await ana.until(1);
  expect(ana.heard).toEqual([{ topic: "campaigns", id: 7 }]);
  await here.close();
});

test("many rows at once are published as any number, many accounts in several messages", async () => {
  const changes = await openLiveUpdates(database, testLog);
  const ana = ear(ANA);
  changes.subscribe(ana.subscriber);
  for (let id = 1; id <= 1_000; id++) changes.mark(ANA, "campaigns", id);
  const crowd = Array.from({ length: 300 }, (_, n) =>
    ear(`0a6f6b1c-0000-4000-8000-${String(n).padStart(12, "0")}`),
  );
  for (const { subscriber } of crowd) {
    changes.subscribe(subscriber);
    changes.mark(subscriber.accountId, "contacts", 1);
  }
  await Promise.all([ana.until(1), ...crowd.map((each) => each.until(1))]);
  expect(ana.heard).toEqual([{ topic: "campaigns", id: null }]);
  await changes.close();
});

test("closing tells what is still untold and ends the streams", async () => {
  const other = openDatabase(url, { log: testLog });
  const [here, there] = [await openLiveUpdates(database, testLog), await openLiveUpdates(other, testLog)];
  const [near, far] = [ear(ANA), ear(ANA)];
  here.subscribe(near.subscriber);
  there.subscribe(far.subscriber);
  here.mark(ANA, "contacts", 3);
  await here.close();
  await near.end;
  await far.until(1);
  expect(far.heard).toEqual([{ topic: "contacts", id: 3 }]);
  await there.close();
  await far.end;
  await other.close();
});

test("changes that could not be published without a connection follow later, with newer ones", async () => {
  let refused = 0;
  const busy = {
    ...database,
    get db() {
      if (refused === 2) return database.db;
      refused++;
      throw new Error("timeout exceeded when trying to connect");
    },
  };
  const changes = await openLiveUpdates(busy, testLog);
  const ana = ear(ANA);
  changes.subscribe(ana.subscriber);
  changes.mark(ANA, "campaigns", 7);
  await expect.poll(() => refused).toBeGreaterThan(0);
  changes.mark(ANA, "campaigns", 8);
  await expect.poll(() => ana.heard).toHaveLength(2);
  expect(ana.heard.map(({ id }) => id).toSorted()).toEqual([7, 8]);
  await changes.close();
});

test("a listener that was cut off tells everybody to look again", async () => {
  const changes = await openLiveUpdates(database, testLog);
  const ana = ear(ANA);
  changes.subscribe(ana.subscriber);
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'recado-listen' and datname = current_database()",
  );
  await ana.until(TOPICS.length);
  expect(ana.heard.map(({ topic }) => topic).sort()).toEqual(TOPICS.toSorted());
  await changes.close();
});
