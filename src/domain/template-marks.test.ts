import { expect, test } from "vitest";
import { takeMarks, templateMark } from "./template-marks.ts";

test.each([
  ["[[/Tabela de preços]]", "", ["Tabela de preços"]],
  ["Segue a tabela:\n[[/Tabela]]\n\n\nAté já!", "Segue a tabela:\n\nAté já!", ["Tabela"]],
  ["Oi **[[/Tabela]]** e `[[/Mapa]]`", "Oi  e", ["Tabela", "Mapa"]],
  [String.raw`\[\[/Tabela\_2\]\]`, "", ["Tabela_2"]],
  ["[[ /Tabela ]]", "", ["Tabela"]],
  ["[[/Tabela]] [[/TABELA]]", "", ["TABELA"]],
  ["[[/Preços [2026]]]", "", ["Preços [2026]"]],
  ["Veja [[/Tabela", "Veja", []],
  ["Veja [[/Tabela]\nObrigado", "Veja\nObrigado", []],
  ["[[/ ]]", "", []],
  [`[[/${"a".repeat(300)}]]`, "", []],
])("%j is sent as %j with %j", (answer, text, names) => {
  expect(takeMarks(answer)).toEqual({ text, names });
});

test.each(["[Modelo: Uno]", "[[Mapa]]", "a / b ]]", "Oi  \n\n\n\ntudo bem?"])(
  "%j is left as it is",
  (text) => {
    expect(takeMarks(text)).toEqual({ text, names: [] });
  },
);

test("a mark is found again under the name it was made for", () => {
  for (const name of ["Tabela", "Preços [2026]", "50% *hoje*", "a/b"])
    expect(takeMarks(`Oi\n${templateMark(name)}`)).toEqual({ text: "Oi", names: [name] });
});

test("a long answer full of openings is read", () => {
  expect(takeMarks("[[/".repeat(100_000))).toEqual({ text: "", names: [] });
});
