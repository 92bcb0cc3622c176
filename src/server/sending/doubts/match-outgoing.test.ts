import fc from "fast-check";
import { expect, test } from "vitest";
import { type Attempt, matchOutgoing, type UnmatchedOutgoing } from "./match-outgoing.ts";

const NOW = 1_000_000;
const doubt = (changes: Partial<Attempt> = {}): Attempt => ({
  names: ["5511900000001"],
  content: "promo",
  messages: 1,
  window: { from: NOW - 100, to: NOW + 100 },
  ...changes,
});
const echo = (changes: Partial<UnmatchedOutgoing> = {}): UnmatchedOutgoing => ({
  providerId: "a",
  names: ["5511900000001", "7@lid"],
  content: "promo",
  at: NOW,
  ...changes,
});
const pairs = (attempts: Attempt[], echoes: UnmatchedOutgoing[]) =>
  matchOutgoing(attempts, echoes).map((one) => [attempts.indexOf(one.attempt), one.echo.providerId]);

test("one echo that fits one doubt is its message", () => {
  expect(pairs([doubt()], [echo()])).toEqual([[0, "a"]]);
  expect(pairs([doubt({ names: ["5511900000001", "7@lid"] })], [echo({ names: ["7@lid"] })])).toEqual([
    [0, "a"],
  ]);
});

test("another text, another person, a time before the attempt or long after it: not its message", () => {
  expect(pairs([doubt()], [echo({ content: "other" })])).toEqual([]);
  expect(pairs([doubt()], [echo({ names: ["5511900000002"] })])).toEqual([]);
  expect(pairs([doubt()], [echo({ at: NOW - 101 })])).toEqual([]);
  expect(pairs([doubt()], [echo({ at: NOW + 101 })])).toEqual([]);
});

test("two echoes for one doubt, or one echo for two, stay as they are", () => {
  expect(pairs([doubt()], [echo(), echo({ providerId: "b" })])).toEqual([]);
  expect(pairs([doubt(), doubt()], [echo()])).toEqual([]);
  expect(pairs([doubt(), doubt()], [echo(), echo({ providerId: "b" })])).toEqual([]);
});

test("an echo that may belong to a message on the wire, or to an earlier attempt, stays as it is", () => {
  expect(pairs([doubt(), doubt({ window: null })], [echo()])).toEqual([]);
  expect(pairs([doubt({ messages: 2 })], [echo()])).toEqual([]);
  expect(pairs([doubt({ window: null })], [echo()])).toEqual([]);
});

test("echoes out of the window do not hide the one within it", () => {
  expect(pairs([doubt()], [echo({ at: NOW - 500 }), echo({ providerId: "b" })])).toEqual([[0, "b"]]);
});

const world = fc.array(
  fc.record({
    person: fc.nat({ max: 2 }),
    content: fc.constantFrom("promo", "aviso"),
    at: fc.nat({ max: 60 }),
    left: fc.constantFrom("reported", "unreported", "nothing"),
    known: fc.constantFrom("doubt", "doubt", "wire"),
    foreignBefore: fc.boolean(),
  }),
  { maxLength: 8 },
);

test("any pair is true, whatever was sent or reported", () => {
  let made = 0;
  fc.assert(
    fc.property(world, (lives) => {
      const echoes: UnmatchedOutgoing[] = [];
      const truth = new Map<string, number>();
      const attempts = lives.map((status, index) => {
        const at = status.at * 10;
        const names = [`p${status.person}`, ...(status.person === 0 ? ["0@lid"] : [])];
        if (status.left === "reported") {
          truth.set(`own${index}`, index);
          echoes.push({ providerId: `own${index}`, names, content: status.content, at: at + 5 });
        }
        if (status.foreignBefore)
          echoes.push({ providerId: `foreign${index}`, names, content: status.content, at: -1_000 });
        const window = status.known === "doubt" ? { from: at - 20, to: at + 50 } : null;
        return { names, content: status.content, window, messages: 1 };
      });
      for (const { attempt, echo } of matchOutgoing(attempts, echoes)) {
        made += 1;
        const whose = truth.get(echo.providerId);
        // Indistinguishable owners must give no pair.
        expect(attempts[whose ?? -1]).toBe(attempt);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(made).toBeGreaterThan(500);
});
