import { expect, test } from "vitest";
import { argon2idHasher, boundedHasher, isCommonPassword } from "./password.ts";

test("argon2id with 19 MiB, 2 passes, 1 lane; a wrong password and a broken hash are refused @spec 3.1 @decision 1", async () => {
  const hash = await argon2idHasher.hash("girassol");
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await argon2idHasher.hash("girassol")).not.toBe(hash);
  expect(await argon2idHasher.verify(hash, "girassol")).toBe(true);
  expect(await argon2idHasher.verify(hash, "Girassol")).toBe(false);
  expect(await argon2idHasher.verify("girassol", "girassol")).toBe(false);
});

test("A10 a letter typed as one sign or as two is the same password", async () => {
  const hash = await argon2idHasher.hash("maçã verde".normalize("NFD"));
  expect(await argon2idHasher.verify(hash, "maçã verde".normalize("NFC"))).toBe(true);
});

test("H25 so many hashes at a time, so many waiting in order, and the rest is turned away", async () => {
  let running = 0;
  let most = 0;
  const order: string[] = [];
  const open: (() => void)[] = [];
  const hasher = boundedHasher(
    {
      hash: async (password) => {
        running++;
        most = Math.max(most, running);
        order.push(password);
        await new Promise<void>((resolve) => open.push(resolve));
        running--;
        return password;
      },
      verify: async () => true,
    },
    { running: 2, waiting: 3 },
  );
  const results = Array.from({ length: 8 }, (_, i) =>
    hasher.hash(`${i}`).catch((error: { code: string; details: object }) => [error.code, error.details]),
  );
  expect(await Promise.all(results.slice(5))).toEqual(
    Array(3).fill(["too_many_requests", { retryAfter: 5 }]),
  );
  while (order.length < 5 || running > 0) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  expect(await Promise.all(results.slice(0, 5))).toEqual(["0", "1", "2", "3", "4"]);
  expect(order).toEqual(["0", "1", "2", "3", "4"]);
  expect(most).toBe(2);
});

test("a hash that fails gives its place back", async () => {
  const hasher = boundedHasher(
    { hash: () => Promise.reject(new Error("no memory")), verify: async () => true },
    { running: 1, waiting: 0 },
  );
  for (let round = 0; round < 3; round++) await expect(hasher.hash("x")).rejects.toThrow("no memory");
  expect(await hasher.verify("h", "x")).toBe(true);
});

test.each([
  "12345678",
  "SENHA123",
  "Corinthians1910",
  "deusefiel",
  "qwertyuiop",
  "lkjhgfdsa",
  "abababab",
  "aaaaaaaaa",
  "123123123",
  "87654321",
])("A09 %s is guessed first", (password) => {
  expect(isCommonPassword(password, { email: "ana@exemplo.com", name: "Ana" })).toBe(true);
});

test.each(["ana@exemplo.com", "Ana Beatriz Souza", "anabeatrizsouza"])(
  "A09 %s is the person's own",
  (password) => {
    expect(isCommonPassword(password, { email: "ana@exemplo.com", name: "Ana Beatriz Souza" })).toBe(true);
  },
);

test.each(["girassol no quintal", "azul-mar-42", "kT9#mQ2x", "4815162342"])(
  "%s is not common",
  (password) => {
    expect(isCommonPassword(password, { email: "ana@exemplo.com", name: "Ana" })).toBe(false);
  },
);
