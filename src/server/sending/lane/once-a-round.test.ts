import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import type { Outcome } from "../../transports/transport.ts";
import { onceARound } from "./once-a-round.ts";

const { arrange } = laneLab(await testDatabase());

const round = () => new Promise((resolve) => setImmediate(resolve));

test("works once for all that was heard in one round, and again for what is heard after", async () => {
  const worked: number[] = [];
  let heard = 0;
  const hear = onceARound(() => worked.push(heard));
  for (const one of [1, 2, 3]) {
    await Promise.resolve();
    heard = one;
    hear();
  }
  expect(worked).toEqual([]);
  await round();
  expect(worked).toEqual([3]);
  heard = 4;
  hear();
  await round();
  expect(worked).toEqual([3, 4]);
});

test("what is heard while it works is worked on in the next round", async () => {
  let worked = 0;
  const hear = onceARound(() => {
    worked += 1;
    if (worked === 1) hear();
  });
  hear();
  await round();
  await round();
  expect(worked).toBe(2);
});

test("a lane's next messages leave once all answers of a round are heard, not one behind each", async () => {
  const answers: (() => void)[] = [];
  const it = await arrange({
    people: 6,
    slots: 3,
    answer: ({ messageId }) =>
      new Promise<Outcome>((resolve) => {
        answers.push(() => resolve({ kind: "accepted", providerId: messageId, at: Date.now() }));
      }),
  });
  await it.run();
  await it.until(async () => answers.length === 3 && (await it.ledger()).rows[1] === 6, 0);
  await it.until(() => !it.waitsForDatabase(), 0);
  const [first, ...others] = answers.slice(0, 3);
  first?.();
  await allThatFollows();
  const left = answers.length;
  for (const answer of others) {
    answer();
    await allThatFollows();
    expect(answers).toHaveLength(left);
  }
  await it.until(() => answers.length === 6, 0);
  for (const answer of answers.slice(3)) answer();
  await it.finishes();
});

async function allThatFollows(): Promise<void> {
  for (let step = 0; step < 100; step++) await Promise.resolve();
}
