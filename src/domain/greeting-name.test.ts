import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../tests/support/code-point.ts";
import { greetingName } from "./greeting-name.ts";
import { renderMessage } from "./message-text.ts";

describe("IM28, IM30: what stands for «no name» is not greeted", () => {
  test.each([
    ..."NULL null None nan NaN undefined N/A n/a N/D #N/D #N/A #NOME? #REF! #DIV/0! N.D. NA ND s/n S/N".split(
      " ",
    ),
    "sem nome",
    "Sem Nome",
    "(sem nome)",
    "<null>",
    "SEM CADASTRO",
    "Não informado",
    "nao identificada",
    "desconhecido",
    "Desconhecida",
    "não consta",
    "Unknown",
    "anônimo",
    "xxx",
    "",
    " ",
    "-",
    "--",
    "—",
    ".",
    "...",
    "~",
    "?",
    "0",
    "5531988117711",
    "+55 31 98811-7721",
    "(31) 98811-7721",
    "olivia.p@exemplo.com.br",
    "https://wa.me/5531988776641",
    "25/11/2026",
    "2026/11/18 9:41:07 AM GMT-3",
    "123.456.789-09",
    "CPF: 123.456.789-09",
    "Tel. (31) 98811-7721",
    "🙂",
  ])("«%s»", (name) => {
    expect(greetingName(name)).toBe("");
    expect(renderMessage("Oi, {nome}!", name, "cliente")).toBe("Oi, cliente!");
    expect(renderMessage("Oi, {nome}!", name, "")).toBe("Oi!");
  });
});

describe("IM55: a CPF, CNPJ or phone beside a name is not greeted", () => {
  test.each([
    ["João da Silva 123.456.789-09", "João da Silva"],
    ["NEUSA CARDOSO LIMA 12345678909", "NEUSA CARDOSO LIMA"],
    ["João da Silva - CPF 123.456.789-09", "João da Silva"],
    ["João da Silva (CPF: 123.456.789-09)", "João da Silva"],
    ["123.456.789-09 - João da Silva", "João da Silva"],
    ["Padaria Aurora 12.345.678/0001-95", "Padaria Aurora"],
    ["45.123.456 ODAIR PINTO", "ODAIR PINTO"],
    ["ODAIR PINTO ***456789**", "ODAIR PINTO"],
    ["ODAIR PINTO 98765432100 ME", "ODAIR PINTO"],
    ["Rita +55 (31) 98877-6655", "Rita"],
    ["Rita <rita@exemplo.com.br>", "Rita"],
  ])("«%s» is greeted as «%s»", (name, called) => {
    expect(greetingName(name)).toBe(called);
    expect(renderMessage("Oi, {nome}!", name, "cliente")).toBe(`Oi, ${called}!`);
  });
});

test.each(
  "Nana Caymmi|Nan Goldin|Na Yoon|Ana|Zé 2º Distrito|João Turma 2024|Ana 2|Dr. Nilo N. A.|~Olívia|O'Neill|李小龙|Null Silva|Vazio da Costa|Ana 🙂|Loja 24h|Maria (mãe do Zé)|D’Ávila, Ana".split(
    "|",
  ),
)("«%s» is greeted as it stands", (name) => {
  expect(greetingName(name)).toBe(name);
});

test("a name that was judged is judged the same again, and nothing is added to it", () => {
  const piece = fc.constantFrom(
    ..."Ana|123.456.789-09|CPF|-|NULL|(|)|31 98877-6655| |@|x|***|2024".split("|"),
  );
  const name = fc.oneof(
    fc.string({ unit: CODE_POINT, maxLength: 60 }),
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(" ")),
  );
  fc.assert(
    fc.property(name, (text) => {
      const called = greetingName(text);
      expect(greetingName(called)).toBe(called);
      expect(text).toContain(called);
    }),
    { numRuns: 3_000 },
  );
});

test("a name made to be slow is judged at once", () => {
  const began = performance.now();
  for (const text of ["- ".repeat(200_000), `${"1 ".repeat(200_000)}a`, `a${" (".repeat(200_000)}`])
    greetingName(text);
  expect(performance.now() - began).toBeLessThan(2_000);
});
