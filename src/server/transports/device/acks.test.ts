import { EventEmitter } from "node:events";
import type { WASocket } from "baileys";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Acks, type LateAck } from "./acks.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const LIMIT_MS = 20_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function tracked() {
  const ws = new EventEmitter();
  const late: LateAck[] = [];
  const acks = new Acks({ timeoutMs: LIMIT_MS, now: () => new Date(), late: (ack) => late.push(ack) });
  acks.listen({ ws } as unknown as WASocket);
  const answers = (attrs: Record<string, string>) => ws.emit("CB:ack,class:message", { tag: "ack", attrs });
  return { acks, answers, late };
}

test.each([[{}], [{ t: "" }], [{ t: "0" }], [{ t: "soon" }]])(
  "an acknowledgement whose time is none (%j) is of now",
  async (time: Record<string, string>) => {
    const { acks, answers, late } = tracked();
    const answer = acks.expect("A");
    answers({ id: "A", ...time });
    expect(await answer).toEqual({ kind: "accepted", at: NOW.getTime() });
    answers({ id: "B", error: "463", ...time });
    expect(late).toEqual([{ messageId: "B", code: "463", at: NOW }]);
  },
);

test("a message that is written again under its id has the whole time limit again", async () => {
  const { acks, answers } = tracked();
  const first = acks.expect("A");
  acks.written("A");
  vi.advanceTimersByTime(LIMIT_MS - 1_000);
  answers({ id: "A", error: "479" });
  expect(await first).toEqual({ kind: "nack", code: "479" });
  const second = acks.expect("A");
  acks.written("A");
  vi.advanceTimersByTime(LIMIT_MS - 1_000);
  answers({ id: "A", t: "1700000000" });
  expect(await second).toEqual({ kind: "accepted", at: 1_700_000_000_000 });
});
