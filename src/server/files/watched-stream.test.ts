import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { watchedStream } from "./watched-stream.ts";

const AWAY = new Error("away");
const watch = (clock: ReturnType<typeof manualClock>) => ({
  stallMs: 15_000,
  after: clock.after,
  failed: () => AWAY,
});

test("a reader that pauses for an hour still gets everything", async () => {
  const clock = manualClock();
  const pieces = Array.from({ length: 10 }, (_, at) => Buffer.alloc(50_000, at));
  const stream = watchedStream(Readable.from(pieces), watch(clock));
  const reader = stream[Symbol.asyncIterator]();
  const { value: first } = (await reader.next()) as { value: Buffer };
  await expect.poll(() => clock.untilNext()).toBe(0);
  clock.advance(3_600_000);
  const rest = [first];
  for (let next = await reader.next(); !next.done; next = await reader.next())
    rest.push(next.value as Buffer);
  expect(Buffer.concat(rest).equals(Buffer.concat(pieces))).toBe(true);
});

test("a source that brings nothing while someone reads fails, and is let go", async () => {
  const clock = manualClock();
  const source = new PassThrough();
  source.write("begun");
  const read = buffer(watchedStream(source, watch(clock)));
  read.catch(() => undefined);
  await expect.poll(() => source.readableLength === 0 && clock.untilNext()).toBe(15_000);
  clock.advance(15_000);
  await expect(read).rejects.toBe(AWAY);
  expect(source.destroyed).toBe(true);
});

test("a source that fails is an error of the watched one", async () => {
  const broken = new Readable({ read: () => broken.destroy(new Error("of the socket")) });
  await expect(buffer(watchedStream(broken, watch(manualClock())))).rejects.toBe(AWAY);
});
