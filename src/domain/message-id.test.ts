import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_PARTS } from "./campaign.ts";
import { decodeMessageId, encodeMessageId, MAX_GENERATION, MAX_SEQ } from "./message-id.ts";

const KEY = Buffer.alloc(32, 7);
const refs = fc.record({
  nonce: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  seq: fc.integer({ min: 0, max: MAX_SEQ }),
  generation: fc.integer({ min: 0, max: MAX_GENERATION }),
  part: fc.integer({ min: 0, max: MAX_PARTS - 1 }),
});

test("an id leads back to its person and part, whatever the numbers", () => {
  fc.assert(
    fc.property(refs, (ref) => {
      const id = encodeMessageId(KEY, ref);
      expect(id).toMatch(/^3EB0[0-9A-F]{18}$/);
      expect(decodeMessageId(KEY, id)).toEqual(ref);
    }),
  );
});

test("golden vectors: an id must never change between versions, or a resend after an update would be a second message", () => {
  expect(encodeMessageId(KEY, { nonce: 0, seq: 0, generation: 0 })).toBe("3EB003E4A7C8033175997B");
  expect(encodeMessageId(KEY, { nonce: 4294967295, seq: MAX_SEQ, generation: 15 })).toBe(
    "3EB0D7B8FEB7C506FBA599",
  );
  expect(encodeMessageId(KEY, { nonce: 305419896, seq: 1234567, generation: 1 })).toBe(
    "3EB0E483D2EE0A45C50C52",
  );
});

test("the first of several messages has the id that a single one has, and no two parts share one", () => {
  const ref = { nonce: 305419896, seq: 1234567, generation: 1 };
  const ids = Array.from({ length: MAX_PARTS }, (_, part) => encodeMessageId(KEY, { ...ref, part }));
  expect(ids[0]).toBe(encodeMessageId(KEY, ref));
  expect(ids[1]).toBe("3EB0A3EBB5254832A013F7");
  expect(new Set(ids).size).toBe(MAX_PARTS);
});

test("another installation's id, another key's or a foreign id decodes to null", () => {
  const id = encodeMessageId(KEY, { nonce: 1, seq: 2, generation: 0 });
  const strangers = Array.from({ length: 50 }, (_, i) => decodeMessageId(Buffer.alloc(32, i + 8), id)).filter(
    Boolean,
  );
  // About five in 4,096 foreign ids pass, and then match no campaign nonce.
  expect(strangers.length).toBeLessThan(3);
  expect(decodeMessageId(KEY, "3EB0")).toBeNull();
  expect(decodeMessageId(KEY, "3A1234567890ABCDEF1234")).toBeNull();
});

test("a number that does not fit is refused instead of wrapping into another person", () => {
  expect(() => encodeMessageId(KEY, { nonce: 1, seq: MAX_SEQ + 1, generation: 0 })).toThrow(RangeError);
  expect(() => encodeMessageId(KEY, { nonce: 2 ** 32, seq: 0, generation: 0 })).toThrow(RangeError);
  expect(() => encodeMessageId(KEY, { nonce: 1, seq: 0, generation: 16 })).toThrow(RangeError);
  expect(() => encodeMessageId(KEY, { nonce: 1, seq: 0, generation: 0, part: 5 })).toThrow(RangeError);
});
