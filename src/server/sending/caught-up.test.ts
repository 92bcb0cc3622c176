import { expect, test } from "vitest";
import { testLog } from "../../../tests/support/database.ts";
import { caughtUp } from "./caught-up.ts";
import type { Lane } from "./lane-deps.ts";

/** A lane of which nothing is asked but that it wakes up. `said`: what was said of its wait. */
function someLane() {
  let woken = 0;
  const said: [string, boolean][] = [];
  const lane = { wake: () => void woken++ } as unknown as Lane;
  const transport = { holds: (why: string, now: boolean) => void said.push([why, now]) };
  return { it: { lane: () => lane, transport }, woken: () => woken, said };
}

const base = { accountId: "a", log: testLog, poll: 1 };

test("a lane waits for what was told and says so, is woken once it is in, and asks no more", async () => {
  const { it, woken, said } = someLane();
  let asked = 0;
  const told = async () => async () => ++asked === 3;
  const isIn = caughtUp({ ...base, ...it, told, clock: { monotonic: () => 0 } });
  expect(isIn()).toBe(false);
  await expect.poll(woken).toBe(1);
  expect([isIn(), asked]).toEqual([true, 3]);
  expect(said).toEqual([
    ["catching_up", true],
    ["catching_up", false],
  ]);
});

test("where all is in already nothing is said", async () => {
  const { it, woken, said } = someLane();
  caughtUp({ ...base, ...it, told: async () => async () => true, clock: { monotonic: () => 0 } });
  await expect.poll(woken).toBe(1);
  expect(said).toEqual([]);
});

test("what cannot be asked for is asked for again; what is never in is waited for ten minutes and no longer", async () => {
  const { it, woken, said } = someLane();
  let now = 0;
  let failed = 0;
  const told = async () => {
    if (failed++ === 0) throw new Error("the database is away");
    return async () => {
      now += 60_000;
      return false;
    };
  };
  const isIn = caughtUp({ ...base, ...it, told, clock: { monotonic: () => now } });
  await expect.poll(woken).toBe(1);
  expect([isIn(), failed, now]).toEqual([true, 2, 600_000]);
  expect(said.at(-1)).toEqual(["catching_up", false]);
});

test("a lane that is gone asks no more, and wakes nobody", async () => {
  let asked = 0;
  let gone = () => {};
  const over = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const told = async () => async () => {
    asked++;
    return false;
  };
  const lane = () => {
    gone();
    return undefined;
  };
  caughtUp({ ...base, lane, transport: {}, told, clock: { monotonic: () => 0 } });
  await over;
  await expect.poll(() => asked).toBe(1);
});
