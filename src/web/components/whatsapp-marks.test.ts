import { expect, test } from "vitest";
import { whatsappPieces } from "./whatsapp-marks.ts";

test("marks become bold, italic, struck through and equal widths, also one in another", () => {
  expect(whatsappPieces("Hoje: *40% de desconto* até _domingo_.")).toEqual([
    "Hoje: ",
    { mark: "bold", inside: ["40% de desconto"] },
    " até ",
    { mark: "italic", inside: ["domingo"] },
    ".",
  ]);
  expect(whatsappPieces("*_oi_*")).toEqual([{ mark: "bold", inside: [{ mark: "italic", inside: ["oi"] }] }]);
  expect(whatsappPieces("~R$ 90~ ```a\n*b*```")).toEqual([
    { mark: "strike", inside: ["R$ 90"] },
    " ",
    { mark: "mono", inside: ["a\n*b*"] },
  ]);
});

test("signs that mark nothing stay as they are", () => {
  for (const text of ["2*3*4", "a * b * c", "*", "**", "nome_do_arquivo", "*aberto", "*duas\nlinhas*"])
    expect(whatsappPieces(text)).toEqual([text]);
});

test("a message full of signs, as long as WhatsApp lets anybody write, is split at once", () => {
  const bold = whatsappPieces("*a* ".repeat(16_384));
  expect(bold).toHaveLength(32_768);
  expect(bold.slice(-2)).toEqual([{ mark: "bold", inside: ["a"] }, " "]);
  for (const text of [" *a".repeat(21_845), "_a ".repeat(21_845)])
    expect(whatsappPieces(text)).toEqual([text]);
});
