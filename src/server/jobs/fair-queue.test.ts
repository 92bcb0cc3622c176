import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

const clockAt = (at = { ms: 0 }) => ({ at, monotonic: () => at.ms });

function workshop() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const piece = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  return { started, piece, end: (name: string) => ends.get(name)?.() };
}

const open = (options: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}, clock = clockAt()) =>
  new FairQueue({ name: "q", running: 1, runningOfAccount: 1, waitingOfAccount: 100, ...options }, clock);

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("the first piece of an account waits for one piece of another, not for all of them", async () => {
  const { started, piece, end } = workshop();
  const queue = open();
  for (const name of ["a1", "a2", "a3"]) void queue.run("a", piece(name));
  void queue.run("b", piece("b1"));
  await settled();
  for (const name of ["a1", "b1", "a2"]) {
    end(name);
    await settled();
  }
  expect(started).toEqual(["a1", "b1", "a2", "a3"]);
});

test("an account holds no more places than its own, and the others stay free", async () => {
  const { started, piece, end } = workshop();
  const queue = open({ running: 3, runningOfAccount: 2 });
  for (const name of ["a1", "a2", "a3"]) void queue.run("a", piece(name));
  void queue.run("b", piece("b1"));
  await settled();
  expect(started).toEqual(["a1", "a2", "b1"]);
  end("b1");
  await settled();
  expect(started).toEqual(["a1", "a2", "b1"]);
  end("a2");
  await settled();
  expect(started).toEqual(["a1", "a2", "b1", "a3"]);
});

test("a full share refuses that account alone", async () => {
  const { started, piece } = workshop();
  const queue = open({ running: 2, waitingOfAccount: 1 });
  void queue.run("a", piece("a1"));
  void queue.run("a", piece("a2"));
  await expect(queue.run("a", piece("a3"))).rejects.toMatchObject({ code: "too_many_requests" });
  void queue.run("b", piece("b1"));
  await settled();
  expect(started).toEqual(["a1", "b1"]);
});

test("work that must not be refused waits behind a full share", async () => {
  const { started, piece, end } = workshop();
  const queue = open({ waitingOfAccount: 1 });
  for (const name of ["a1", "a2"]) void queue.run("a", piece(name));
  void queue.runUnrefused("a", piece("a3"));
  await settled();
  for (const name of ["a1", "a2"]) {
    end(name);
    await settled();
  }
  expect(started).toEqual(["a1", "a2", "a3"]);
});

test("a piece that is no longer wanted leaves the queue", async () => {
  const { started, piece, end } = workshop();
  const queue = open();
  const leaving = new AbortController();
  void queue.run("a", piece("a1"));
  const left = queue.run("b", piece("b1"), leaving.signal);
  void queue.run("b", piece("b2"));
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  end("a1");
  await settled();
  expect(started).toEqual(["a1", "b2"]);
});

test("work that fails gives its place to the next", async () => {
  const { started, piece } = workshop();
  const queue = open();
  const failing = queue.run("a", () => Promise.reject(new Error("broken")));
  void queue.run("b", piece("b1"));
  await expect(failing).rejects.toThrow("broken");
  await settled();
  expect(started).toEqual(["b1"]);
});

test("figures tell how many wait and the age of the oldest", async () => {
  const { piece, end } = workshop();
  const clock = clockAt();
  const queue = open({}, clock);
  void queue.run("a", piece("a1"));
  void queue.run("a", piece("a2"));
  clock.at.ms = 1_000;
  void queue.run("b", piece("b1"));
  clock.at.ms = 3_000;
  await settled();
  expect(queue.figures()).toEqual({ name: "q", running: 1, waiting: 2, oldestMs: 3_000 });
  for (const name of ["a1", "b1", "a2"]) {
    end(name);
    await settled();
  }
  expect(queue.figures()).toEqual({ name: "q", running: 0, waiting: 0, oldestMs: 0 });
});
