import fc from "fast-check";
import { expect, test } from "vitest";
import { phoneSet } from "./phone-set.ts";

test("says of every phone whether it came before, as a Set does", () => {
  const phone = fc.oneof(
    fc.integer({ min: 5_511_900_000_000, max: 5_511_900_000_200 }),
    fc.integer({ min: 1, max: 999_999_999_999_999 }),
  );
  fc.assert(
    fc.property(fc.array(phone, { maxLength: 3_000, size: "max" }), fc.nat(), (phones, odd) => {
      const ours = phoneSet();
      const theirs = new Map<number, boolean>();
      for (const [at, each] of phones.entries()) {
        const nameless = (at ^ odd) % 2 === 0;
        expect(ours.add(each, nameless)).toBe(!theirs.has(each));
        if (!theirs.has(each)) theirs.set(each, nameless);
        else if (at % 3 === 0) {
          expect(ours.name(each)).toBe(theirs.get(each));
          theirs.set(each, false);
        }
      }
    }),
  );
});
