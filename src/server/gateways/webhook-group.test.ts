import { expect, test } from "vitest";
import { Busy, GroupCommit } from "./webhook-group.ts";

type Row = { name: string | null; value: number };

function lab(over: Partial<ConstructorParameters<typeof GroupCommit<Row>>[0]> = {}) {
  const batches: Row[][] = [];
  let answer: () => void = () => undefined;
  const group = new GroupCommit<Row>({
    insert: (rows) => {
      batches.push([...rows]);
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    },
    nameOf: ({ name }) => name,
    newer: (a, b) => (b.value >= a.value ? b : a),
    bytesOf: () => 10,
    ownerOf: () => "a",
    share: 1,
    maxRows: 3,
    maxBytes: 1_000,
    maxWaiting: 5,
    maxWaitingBytes: 1_000,
    ...over,
  });
  const put = (value: number, name: string | null = null) => group.put({ name, value });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const values = () => batches.map((rows) => rows.map(({ value }) => value));
  return { put, turn, values, group, commit: () => answer() };
}

test("rows wait while a commit runs and go together in the next, so many at most", async () => {
  const { put, turn, values, commit } = lab();
  const first = put(1);
  await turn();
  const others = [2, 3, 4, 5].map((value) => put(value));
  await turn();
  expect(values()).toEqual([[1]]);
  commit();
  await first;
  await turn();
  expect(values()).toEqual([[1], [2, 3, 4]]);
  commit();
  await turn();
  expect(values()).toEqual([[1], [2, 3, 4], [5]]);
  commit();
  await Promise.all(others);
});

test("a batch ends at its bytes, and one row larger than that still goes", async () => {
  const { put, turn, values, commit } = lab({ maxBytes: 15 });
  const all = [put(1), put(2)];
  await turn();
  expect(values()).toEqual([[1]]);
  commit();
  await turn();
  expect(values()).toEqual([[1], [2]]);
  commit();
  await Promise.all(all);
});

test("waiting rows of one name merge into the newest, which also resolves the older callers", async () => {
  const { put, turn, values, commit } = lab();
  const running = put(1, "a");
  await turn();
  const all = [put(2, "a"), put(9, "a"), put(5, "a"), put(3, "b")];
  commit();
  await running;
  await turn();
  expect(values()).toEqual([[1], [9, 3]]);
  commit();
  await Promise.all(all);
});

test("too many waiting rows, or bytes, are refused at once; folding into one that waits is not", async () => {
  const { put, turn } = lab();
  void put(0);
  await turn();
  for (let value = 1; value <= 5; value++) void put(value, `n${value}`);
  await expect(put(6)).rejects.toThrow(Busy);
  void put(7, "n1");
  const heavy = lab({ maxWaitingBytes: 15 });
  void heavy.put(1);
  await expect(heavy.put(2)).rejects.toThrow(Busy);
});

test("27.1 an owner's rows fill their share, and those of others still wait beside them", async () => {
  const { put, turn } = lab({ maxWaiting: 8, share: 1 / 4, ownerOf: ({ value }) => String(value % 2) });
  void put(1);
  await turn();
  for (const value of [3, 5]) void put(value);
  await expect(put(7)).rejects.toThrow(Busy);
  for (const value of [2, 4]) void put(value);
  await expect(put(6)).rejects.toThrow(Busy);
});

test("a row that the database refuses costs the others nothing; a database that is gone fails all", async () => {
  const refusing = lab({
    insert: async (rows) => {
      if (rows.some(({ value }) => value === 2)) throw Object.assign(new Error("bad"), { code: "22021" });
    },
  });
  const ends = await Promise.allSettled([1, 2, 3].map((value) => refusing.put(value)));
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const gone = lab({
    insert: () => Promise.reject(Object.assign(new Error("gone"), { code: "57P01" })),
  });
  const all = await Promise.allSettled([1, 2].map((value) => gone.put(value)));
  expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
