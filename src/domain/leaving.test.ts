import { expect, test } from "vitest";
import { LEAVING_READS, leavingOf, leavingWith } from "./leaving.ts";
import heldOut from "./leaving-held-out.json" with { type: "json" };
import sentences from "./leaving-sentences.json" with { type: "json" };

const wrong = (expected: keyof typeof sentences) =>
  sentences[expected].filter((text) => leavingOf(text) !== expected);

test("OP02 a message that is nothing but a request leaves for certain", () => {
  expect(wrong("leaves")).toEqual([]);
});

test("OP02 a request to leave in other words is at least doubtful", () => {
  expect(wrong("maybe")).toEqual([]);
});

test("OP02 sentences that only use such words are no request", () => {
  expect(wrong("no")).toEqual([]);
});

test("sentences that no rule was written from: certain ones are right, requests are marked", () => {
  const certain = (texts: readonly string[]) => texts.filter((text) => leavingOf(text) === "leaves").length;
  const [right, wrongly] = [certain(heldOut.requests), certain(heldOut.others)];
  expect(right).toBeGreaterThan(40);
  expect(right / (right + wrongly)).toBeGreaterThanOrEqual(0.98);
  const marked = heldOut.requests.filter((text) => leavingOf(text) !== "no").length;
  expect(marked / heldOut.requests.length).toBeGreaterThanOrEqual(0.95);
});

test("a request inside of something else, or turned round, is never certain", () => {
  for (const text of [
    "Não gostei. Me tira da lista",
    "não quero sair da lista",
    "Pode sair",
    "quero cancelar",
    "Cancelar, por favor",
  ])
    expect(leavingOf(text), text).not.toBe("leaves");
});

test("the table holds at least 300 sentences, each once", () => {
  const all = Object.values(sentences).flat();
  expect(all.length).toBeGreaterThanOrEqual(300);
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
  expect(leavingWith({ kind: "image", text: "Já pedi: quero sair da lista" })).toBe("maybe");
  expect(leavingWith({ kind: "image", text: "SAIR" })).toBe("leaves");
  expect(leavingWith({ kind: "contact", text: "Quero sair da lista" })).toBe("no");
  expect(leavingWith({ kind: "location", text: "SAIR" })).toBe("no");
});
