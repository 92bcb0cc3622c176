import fc from "fast-check";
import { expect, test } from "vitest";
import { CODE_POINT } from "../../../tests/support/code-point.ts";
import { contactWindow } from "./import-window.ts";

const lines = (window: ReturnType<typeof contactWindow>) =>
  Buffer.concat([...window.drain()])
    .toString()
    .split("\n")
    .slice(0, -1);

test("every line comes out whole, near phones together", () => {
  const contact = fc.tuple(
    fc.oneof(
      fc.integer({ min: 1_000_000, max: 999_999_999_999_999 }),
      fc.constantFrom(5_511_900_000_000, 1_000_000_000, 999_999_999),
    ),
    fc
      .oneof(fc.string({ unit: CODE_POINT }), fc.constantFrom("João", "Zé\\", "😀", ""))
      .map((name) => name.toWellFormed().replaceAll(/\p{Cc}/gu, "")),
  );
  fc.assert(
    fc.property(fc.array(contact, { minLength: 1, maxLength: 200 }), (contacts) => {
      const window = contactWindow(7);
      for (const [seq, [phone, name]] of contacts.entries()) window.add(seq, phone, name);
      const written = lines(window);
      const expected = contacts.map(
        ([phone, name], seq) => `7\t${seq}\t${phone}\t${name.replaceAll("\\", "\\\\")}`,
      );
      expect(written.toSorted()).toEqual(expected.toSorted());
      const buckets = written.map((line) => Math.floor(Number(line.split("\t")[2]) / 8_192));
      expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
      window.add(9, 5_511_900_000_000, "Ana");
      expect(lines(window)).toEqual(["7\t9\t5511900000000\tAna"]);
    }),
  );
});

test("it says that it is full before anything is lost", () => {
  const window = contactWindow(1);
  let seq = 0;
  while (!window.isFull()) window.add(seq, 5_511_900_000_000 + seq++, "ã".repeat(120));
  for (let more = 0; more < 500; more++) window.add(seq, 5_511_900_000_000 + seq++, "😀".repeat(120));
  expect(lines(window)).toHaveLength(seq);
});
