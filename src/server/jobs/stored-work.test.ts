import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";
import { StoredWork } from "./stored-work.ts";

function store(left: Record<string, number>, onWork: (accountId: string) => void = () => undefined) {
  const order: string[] = [];
  const failures: unknown[] = [];
  const queue = new FairQueue(
    { name: "q", running: 1, runningOfAccount: 1, waitingOfAccount: 2 },
    { monotonic: () => 0 },
  );
  const work = new StoredWork(queue, {
    accounts: async () => Object.keys(left).filter((accountId) => (left[accountId] ?? 0) > 0),
    work: async (accountId) => {
      order.push(accountId);
      onWork(accountId);
      left[accountId] = (left[accountId] ?? 0) - 1;
      return (left[accountId] ?? 0) > 0;
    },
    failed: (error) => failures.push(error),
  });
  return { work, order, failures, left };
}

test("accounts are worked off in turns, until none has anything left", async () => {
  const { work, order } = store({ a: 3, b: 1, c: 2 });
  work.wake();
  await work.idle();
  expect(order).toEqual(["a", "b", "c", "a", "c", "a"]);
});

test("what is stored while a piece runs is done without another look", async () => {
  let stored = false;
  const { work, order, left } = store({ a: 1 }, () => {
    if (stored) return;
    stored = true;
    left.a = 2;
    work.wake("a");
  });
  work.wake();
  await work.idle();
  expect(order).toEqual(["a", "a"]);
});

test("a piece that fails is said, and the other accounts go on", async () => {
  const { work, order, failures } = store({ a: 1, b: 1 }, (accountId) => {
    if (accountId === "a") throw new Error("broken");
  });
  work.wake();
  await work.idle();
  expect(order).toEqual(["a", "b"]);
  expect(failures).toEqual([new Error("broken")]);
});

test("after a stop nothing is begun", async () => {
  const { work, order } = store({ a: 5 }, () => void work.stop());
  work.wake();
  await work.idle();
  work.wake();
  await work.idle();
  expect(order).toEqual(["a"]);
});
