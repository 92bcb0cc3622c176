import { expect, test } from "vitest";
import { foundIn } from "./found.ts";

test("a search says how many contacts in how many lists, and only what is known", () => {
  expect(foundIn([{ matches: 2 }, { matches: 1 }], false)).toBe("3 contatos em 2 listas");
  expect(foundIn([{ matches: 0 }], false)).toBe("1 lista encontrada");
  expect(foundIn([{ matches: 2 }, { matches: 1 }], true)).toBe("Mais de 2 listas encontradas");
  expect(foundIn([{ matches: null }], false)).toBe("\u00a0");
});
