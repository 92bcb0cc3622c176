import { expect, test } from "vitest";
import { testLog } from "../../../../tests/support/database.ts";
import { type Backlog, BacklogGate, type EventsProcessedCheck, GATE_TIMES } from "./backlog-gate.ts";

type Script = { eventsProcessed?: EventsProcessedCheck; read?: Backlog["read"]; ready?: boolean };

function gateOf({ eventsProcessed, read, ready = true }: Script) {
  let now = 0;
  const did: string[] = [];
  const waits: number[] = [];
  const state = { ready, opened: 0, changed: () => {}, interrupted: () => {} };
  const gate = new BacklogGate({
    accountId: "a",
    connectionId: 1,
    log: testLog,
    times: GATE_TIMES,
    eventsProcessed,
    openBacklog:
      read &&
      (() => ({
        read: (before) => {
          did.push("read");
          return read(before);
        },
      })),
    clock: { monotonic: () => now, now: () => new Date(now) } as never,
    wait: async (ms) => {
      waits.push(ms);
      now += ms;
    },
    lane: () => ({ wake: () => void did.push("wake"), optOutsMissed: () => void did.push("missed") }),
    transport: {
      ready: () => state.ready,
      holds: (why, on) => void did.push(`${on ? "+" : "-"}${why}`),
      look: () => void did.push("look"),
      onReady: (listener) => {
        state.changed = listener;
        return () => void did.push("unsubscribed");
      },
      onInterrupted: (listener) => {
        state.interrupted = listener;
        return () => undefined;
      },
    },
  });
  const setReady = (next: boolean) => {
    state.ready = next;
    state.changed();
  };
  return { gate, did, waits, setReady, interrupt: () => state.interrupted(), now: () => now };
}

const opened = ({ gate }: { gate: BacklogGate }) => expect.poll(() => gate.isOpen()).toBe(true);

test("26.21 a lane at a gateway begins with what the gateway kept: read, the offline messages given their time, read again @decision 35", async () => {
  const it = gateOf({ read: async () => false });
  expect(it.gate.isOpen()).toBe(false);
  await opened(it);
  expect(it.did).toEqual(["+catching_up", "read", "read", "-catching_up", "wake"]);
  expect(it.waits).toEqual([GATE_TIMES.settle]);
});

test("26.21 a gateway that still stores old messages is read until nothing more comes, but not for ever", async () => {
  let left = 3;
  const few = gateOf({ read: async () => left-- > 0 });
  await opened(few);
  expect(few.waits).toEqual([GATE_TIMES.settle, GATE_TIMES.again, GATE_TIMES.again]);
  const endless = gateOf({ read: async () => true });
  await opened(endless);
  expect(endless.now()).toBeGreaterThanOrEqual(GATE_TIMES.growing);
  expect(endless.now()).toBeLessThan(GATE_TIMES.growing + 2 * GATE_TIMES.again);
});

test("26.21 each time it was closed, the lane returns its people and waits again after reopening @decision 35", async () => {
  const it = gateOf({ read: async () => false });
  await opened(it);
  it.did.length = 0;
  it.setReady(false);
  expect([it.gate.isOpen(), ...it.did]).toEqual([false, "missed"]);
  it.setReady(true);
  await opened(it);
  expect(it.did).toEqual(["missed", "+catching_up", "read", "read", "-catching_up", "wake"]);
});

test("26.21 a missed interruption closes it as well; one during a hold restarts the wait", async () => {
  const reads: PromiseWithResolvers<boolean>[] = [];
  const it = gateOf({
    read: () => {
      const one = Promise.withResolvers<boolean>();
      reads.push(one);
      return one.promise;
    },
  });
  const answer = async (nth: number) => {
    await expect.poll(() => reads.length).toBeGreaterThan(nth);
    reads[nth]?.resolve(false);
  };
  await answer(0);
  await expect.poll(() => reads.length).toBe(2);
  it.interrupt();
  await answer(1);
  await answer(2);
  await expect.poll(() => reads.length).toBe(4);
  expect(it.gate.isOpen()).toBe(false);
  await answer(3);
  await opened(it);
  it.interrupt();
  expect(it.gate.isOpen()).toBe(false);
});

test("26.21 a stop that ends early is no interruption", async () => {
  const it = gateOf({ read: async () => false });
  await opened(it);
  it.setReady(true);
  expect(it.gate.isOpen()).toBe(true);
});

test("26.21 what cannot be read is asked for again, said after half a minute, and waited for ten minutes and no longer", async () => {
  const it = gateOf({
    read: async () => {
      throw new Error("500");
    },
  });
  await opened(it);
  expect(it.now()).toBeGreaterThanOrEqual(GATE_TIMES.most);
  expect(it.now()).toBeLessThan(GATE_TIMES.most + 60_000);
  const words = it.did.filter((one) => /catching|unread|wake/.test(one));
  expect(words).toEqual(["+catching_up", "-catching_up", "+backlog_unread", "-backlog_unread", "wake"]);
  expect(it.did).toContain("look");
});

test("26.21 a device is asked nothing, and waits only for what is stored and not taken in", async () => {
  let asked = 0;
  const it = gateOf({ eventsProcessed: async () => async () => ++asked === 3, ready: false });
  expect(asked).toBe(0);
  it.setReady(true);
  await opened(it);
  expect([it.did, asked]).toEqual([["+catching_up", "-catching_up", "wake"], 3]);
});

test("where everything is in already nothing is said", async () => {
  const it = gateOf({ eventsProcessed: async () => async () => true });
  await opened(it);
  expect(it.did).toEqual(["wake"]);
});

test("what is never taken in is waited for ten minutes and no longer; a database that fails is asked again", async () => {
  let failed = 0;
  const it = gateOf({
    eventsProcessed: async () => {
      if (failed++ === 0) throw new Error("the database is away");
      return async () => false;
    },
  });
  await opened(it);
  expect([failed, it.now()]).toEqual([2, GATE_TIMES.most]);
});

test("a lane that is gone asks no more, and is not woken", async () => {
  const asked = Promise.withResolvers<boolean>();
  const it = gateOf({ eventsProcessed: async () => () => asked.promise });
  it.gate.end();
  asked.resolve(true);
  await new Promise(setImmediate);
  expect([it.gate.isOpen(), it.did]).toEqual([false, ["unsubscribed"]]);
});
