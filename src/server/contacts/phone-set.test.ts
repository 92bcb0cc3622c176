import fc from "fast-check";
import { expect, test } from "vitest";
import { phoneSet } from "./phone-set.ts";

test("says of every phone whether it came before, as a Set does", () => {
  const phone = fc.oneof(
    fc.integer({ min: 5_511_900_000_000, max: 5_511_900_000_200 }),
    fc.integer({ min: 1, max: 999_999_999_999_999 }),
  );
  fc.assert(
    fc.property(fc.array(phone, { maxLength: 3_000, size: "max" }), (phones) => {
      const ours = phoneSet();
      const theirs = new Set<number>();
      for (const each of phones) {
        expect(ours.add(each)).toBe(!theirs.has(each));
        theirs.add(each);
      }
    }),
  );
});
