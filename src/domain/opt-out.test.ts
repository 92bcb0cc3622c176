import { expect, test } from "vitest";
import { isOptOut } from "./opt-out.ts";

test("a word of leaving alone, however it is written, is meant", () => {
  for (const text of [
    "SAIR",
    "sair",
    "Sair.",
    " parar! ",
    "«CANCELAR»",
    "stop",
    "Pará‌r",
    "SÁIR",
    "*sair*",
    "SAIR 🙏",
    "ＳＡＩＲ",
    "\nParar\n",
  ])
    expect(isOptOut(text), text).toBe(true);
});

test("a word inside a sentence, another word or nothing is not", () => {
  for (const text of [
    "quero cancelar a consulta",
    "sair sair",
    "não sair",
    "Sair da lista",
    "stopp",
    "parar?não",
    "",
    "🙏",
    "SAIR1",
    `${" ".repeat(200)}SAIR`,
  ])
    expect(isOptOut(text), text).toBe(false);
});
