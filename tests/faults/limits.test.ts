import { expect, test } from "vitest";
import { momentAt } from "./days.ts";
import { judge, type Reached } from "./limits.ts";
import { ProductClock } from "./product-clock.ts";
import { ON_ITS_WAY_MS } from "./spans.ts";

const noon = Date.parse("2026-11-23T12:00:00-03:00");
const at = (wall: string) => Date.parse(`2026-11-23T${wall}-03:00`);
const reached = (...times: number[]): Reached => ({ at: times, counts: true });

async function clockAfter(...walls: string[]) {
  let real = noon;
  const clock = new ProductClock({ shiftClock: async () => undefined }, () => real);
  for (const wall of walls) {
    real += 5_000;
    await clock.put(at(wall));
  }
  return { clock, momentsBefore: (time: number) => clock.timesBefore(time).map(momentAt), real };
}

test("what WhatsApp gets at night is outside the hours, unless it was on its way when they ended", async () => {
  const { momentsBefore, real } = await clockAfter("20:30:00");
  const judged = (late: number) => judge([reached(real + late)], 9, momentsBefore).outsideHours;
  expect([judged(-1), judged(ON_ITS_WAY_MS - 1), judged(ON_ITS_WAY_MS + 1)]).toEqual([0, 0, 1]);
});

test("a clock put back into the night closes the hours again", async () => {
  const { momentsBefore, real } = await clockAfter("08:10:00", "07:40:00");
  expect(judge([reached(real - 500), reached(real + 1_100)], 9, momentsBefore).outsideHours).toBe(1);
});

test("a second try at night counts, though the first was by day", async () => {
  const { momentsBefore, real } = await clockAfter("21:00:00");
  expect(judge([reached(real - 900, real + 1_100)], 9, momentsBefore).outsideHours).toBe(1);
});

test("a day's messages beyond the budget count; refused ones and those of the next day do not", async () => {
  const { momentsBefore, real } = await clockAfter();
  const tomorrow = real + 86_400_000;
  const messages = [real + 1, real + 2, real + 3, tomorrow].map((time) => reached(time));
  const refused = { at: [real + 4], counts: false };
  expect(judge([...messages, refused], 2, momentsBefore)).toEqual({ outsideHours: 0, overBudget: 1 });
});
