import { expect, test } from "vitest";
import { attachment, fileNamePart } from "./file-name.ts";

test.each([
  ["Black Friday", "Black Friday"],
  ["Promoção: 50% / já", "Promoção 50 já"],
  ["../../etc/passwd", "etc passwd"],
  ['a"b\r\nSet-Cookie: x', "a b Set-Cookie x"],
  ["nota\u202Efdp.exe", "nota fdp.exe"],
  ["Fim de ano...", "Fim de ano"],
  ["...", ""],
  ["x".repeat(100), "x".repeat(60)],
  ["🎉".repeat(70), "🎉".repeat(60)],
])("26.15 %j as a part of a file name: %j", (name, part) => expect(fileNamePart(name)).toBe(part));

test("26.15 a file name keeps its accents, and has a plain form for old programs", () => {
  expect(attachment("Promoção d'água_7_envios.csv")).toBe(
    `attachment; filename="Promocao d'agua_7_envios.csv"; filename*=UTF-8''Promo%C3%A7%C3%A3o%20d%27%C3%A1gua_7_envios.csv`,
  );
});
