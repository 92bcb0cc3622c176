import { expect, test } from "vitest";
import { attachmentName, isDisguised, isProgramName } from "./attachment-name.ts";

test.each([
  ["boleto de maio.pdf", "boleto de maio.pdf"],
  ["../../etc/boleto.pdf", "boleto.pdf"],
  ["C:\\Users\\ana\\boleto.pdf", "boleto.pdf"],
  ["boleto\u202efdp.scr", "boletofdp.scr"],
  ["boleto\0\n.pdf", "boleto .pdf"],
  ['a:b*c?"d"<e>|f.pdf', "a b c d e f.pdf"],
  ["...", ""],
  ["", ""],
  ["orçamento 📄.docx", "orçamento 📄.docx"],
])("%j is kept as %j", (typed, kept) => expect(attachmentName(typed)).toBe(kept));

test("a long name is shortened before its ending", () => {
  const name = attachmentName(`${"a".repeat(4_000)}.pdf`);
  expect([...name].length).toBe(200);
  expect(name.endsWith("a.pdf")).toBe(true);
});

test.each([
  ["boleto.pdf", "pdf", false],
  ["boleto.PDF", "pdf", false],
  ["boleto.pdf", "zip", true],
  ["boleto.pdf", null, true],
  ["planilha.xlsx", "zip", false],
  ["foto.jpeg", "jpg", false],
  ["nota.m4a", "mp4", false],
  ["lista.csv", null, false],
  ["relatorio.xls", null, false],
  ["contrato.doc", "rtf", false],
  ["sem nome", "pdf", false],
])("%s with the content of %s: %s", (name, found, disguised) =>
  expect(isDisguised(name, found)).toBe(disguised),
);

test.each([
  ["jogo.EXE", true],
  ["boleto.pdf.js", true],
  ["relatório.docx", false],
])("%s is a program: %s", (name, program) => expect(isProgramName(name)).toBe(program));
