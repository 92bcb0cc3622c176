import { expect, test } from "vitest";
import { startFailure } from "./embedded-postgres.ts";

const FULL =
  "Não há espaço no disco de /dados/postgres, e sem ele o banco de dados não inicia. Libere ao menos 100 MB e tente de novo.";

test.each([
  [
    "what initdb says",
    'FATAL:  could not extend file "base/1/2691": No space left on device\nPANIC:  …',
    2e6,
    FULL,
  ],
  ["a server that could not even write its log", "exit 1\n", 0, FULL],
  ["a quota", "could not write to file: Disk quota exceeded", 1e9, FULL],
  [
    "anything else is told as it was",
    "exit 1\nFATAL:  bogus data in lock file",
    1e9,
    "exit 1\nFATAL:  bogus data in lock file",
  ],
])("a database that does not start for want of room says so: %s", (_, said, free, words) => {
  expect(startFailure("/dados/postgres", said, free).message).toBe(words);
});

test("what is free is asked of the folder's own disk", () => {
  expect(startFailure(`${import.meta.dirname}/postgres`, "exit 1").message).toBe("exit 1");
});
