import { expect, test } from "vitest";
import { makeSchedule } from "./schedule.ts";

test("a held clock runs nothing until it is moved, then in order of time, tasks of tasks too", () => {
  const schedule = makeSchedule();
  const ran: string[] = [];
  schedule.hold();
  const start = schedule.now();
  schedule.after(20, () => ran.push(`second at ${schedule.now() - start}`));
  schedule.after(10, () => {
    ran.push(`first at ${schedule.now() - start}`);
    schedule.after(5, () => ran.push(`its own at ${schedule.now() - start}`));
  });
  schedule.after(100, () => ran.push("late"));
  expect(schedule.advance(50)).toBe(3);
  expect(ran).toEqual(["first at 10", "its own at 15", "second at 20"]);
  expect(schedule.now() - start).toBe(50);
});

test("a released clock goes on with what was waiting", async () => {
  const schedule = makeSchedule();
  schedule.hold();
  const done = new Promise((resolve) => schedule.after(1, () => resolve("ran")));
  schedule.release();
  await expect(done).resolves.toBe("ran");
});

test("a clock that runs cannot be moved, and a cleared one forgets", () => {
  const schedule = makeSchedule();
  expect(() => schedule.advance(1)).toThrow("hold it first");
  schedule.hold();
  schedule.after(1, () => expect.unreachable());
  schedule.clear();
  expect(schedule.advance(10)).toBe(0);
});
