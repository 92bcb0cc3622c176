import { Search } from "lucide-react";
import { expect, test } from "vitest";
import { matching, type PaletteOption } from "./palette-options.ts";

const option = (label: string, also = ""): PaletteOption => ({
  id: label,
  group: "screens",
  icon: Search,
  label,
  also,
  run: () => undefined,
});
const OPTIONS = [
  option("Conexões", "numero"),
  option("Nova campanha", "criar"),
  option("Campanhas", "envios"),
  option("Configurações: Uso"),
];
const labels = (typed: string) => matching(OPTIONS, typed).map(({ label }) => label);

test.each([
  ["", ["Conexões", "Nova campanha", "Campanhas", "Configurações: Uso"]],
  ["  ", ["Conexões", "Nova campanha", "Campanhas", "Configurações: Uso"]],
  ["conexoes", ["Conexões"]],
  ["CONEXÕES", ["Conexões"]],
  ["camp nova", ["Nova campanha"]],
  ["criar", ["Nova campanha"]],
  ["uso conf", ["Configurações: Uso"]],
  ["n", ["Nova campanha", "Conexões"]],
  ["ampanhas", []],
  [".*", []],
  ["zzz", []],
])("«%s»", (typed, found) => {
  expect(labels(typed)).toEqual(found);
});
