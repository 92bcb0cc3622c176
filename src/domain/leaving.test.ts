import { expect, test } from "vitest";
import { LEAVING_READS, leavingOf, leavingWith } from "./leaving.ts";
import sentences from "./leaving-sentences.json" with { type: "json" };

const wrong = (expected: keyof typeof sentences) =>
  sentences[expected].filter((text) => leavingOf(text) !== expected);

test("OP02 the four words alone leave for certain", () => {
  expect(wrong("leaves")).toEqual([]);
});

test("OP02 a request to leave in other words is at least doubtful", () => {
  expect(wrong("maybe")).toEqual([]);
});

test("OP02 sentences that only use such words are no request", () => {
  expect(wrong("no")).toEqual([]);
});

test("the table holds at least 150 sentences, each once", () => {
  const all = Object.values(sentences).flat();
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(new Set(all).size).toBe(all.length);
});

test("a request inside a long letter is seen where it is read, and hostile text does not slow the reading", () => {
  const begun = performance.now();
  expect(
    leavingOf(`${"Comprei aí em março e gostei. ".repeat(20)}Mas não quero mais receber mensagens.`),
  ).toBe("maybe");
  for (const piece of ["nao quero ", "me me ", "por favor ", "pare de ", "a", "!", "nao me mande mais "])
    leavingOf(piece.repeat(100_000));
  expect(leavingOf(`${"x ".repeat(LEAVING_READS)}quero sair da lista`)).toBe("no");
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test("a caption counts, a contact's or a place's name does not", () => {
  expect(leavingWith({ kind: "image", text: "Quero sair da lista" })).toBe("maybe");
  expect(leavingWith({ kind: "image", text: "SAIR" })).toBe("leaves");
  expect(leavingWith({ kind: "contact", text: "Quero sair da lista" })).toBe("no");
  expect(leavingWith({ kind: "location", text: "SAIR" })).toBe("no");
});
