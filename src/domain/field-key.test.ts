import { expect, test } from "vitest";
import { fieldKey, freeKey, isReservedKey } from "./field-key.ts";

test.each([
  ["Última vacina", "ultima_vacina"],
  ["  Preço (R$) ", "preco_r"],
  ["2ª dose", "2a_dose"],
  ["data", "data"],
  ["Ação__Nº 1", "acao_no_1"],
  ["дата", "campo"],
  ["🎂", "campo"],
])("the key of «%s» is %s", (label, key) => {
  expect(fieldKey(label)).toBe(key);
});

test.each(["Nome", "Primeiro nome", "SOBRENOME", "Telefone", "name", "First name"])(
  "«%s» is the person's own",
  (label) => {
    expect(isReservedKey(fieldKey(label))).toBe(true);
  },
);

test("a taken key gets the first free number", () => {
  expect(freeKey("data", new Set())).toBe("data");
  expect(freeKey("data", new Set(["data", "data_3"]))).toBe("data_2");
  expect(freeKey("data", new Set(["data", "data_2"]))).toBe("data_3");
});
