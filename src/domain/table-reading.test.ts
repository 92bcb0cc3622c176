import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../tests/support/code-point.ts";
import { AppError } from "./errors.ts";
import { apply, type ColumnMapping, type ImportMapping, isUsable, type RowOutcome } from "./table-mapping.ts";
import { type KnownField, understand } from "./table-reading.ts";

const table = (...lines: string[]) => lines.map((line, at) => ({ row: at + 1, cells: line.split(";") }));
const rolesOf = (...lines: string[]) =>
  understand(table(...lines)).mapping.columns.map((column) =>
    column.role === "phone" ? column.rank : column.role,
  );
const people = (outcomes: RowOutcome[]) =>
  outcomes.map((one) => (one.outcome === "refused" ? one.reason : [one.name, one.phone]));

describe("what is understood of a table", () => {
  test("each column has its role, samples and reason", () => {
    const { mapping, columns, questions } = understand(
      table(
        "Código;Nome;Sobrenome;DDI;DDD;Celular;Tipo;Vencimento;Valor",
        "1;Ana;Lima;55;31;988124001;Cel;10/12/2026;1.200,50",
        "2;Bia;Reis;55;31;988124002;Cel;11/12/2026;80",
      ),
    );
    expect(columns.map(({ mapping: column }) => column.role)).toEqual(
      "ignore name surname ddi ddd phone phone_kind ignore ignore".split(" "),
    );
    expect(columns[1]).toMatchObject({
      header: "Nome",
      samples: ["Ana", "Bia"],
      sure: true,
      reason: "header",
    });
    expect(columns.slice(7).map(({ suggestion }) => suggestion)).toEqual([
      { label: "Vencimento", kind: "date" },
      { label: "Valor", kind: "number" },
    ]);
    expect([mapping.skip, mapping.headerRow, questions]).toEqual([1, 1, []]);
  });

  test("a column with a field's name becomes that field, and its values come with the person", () => {
    const fields: KnownField[] = [{ key: "medico", label: "Médico", kind: "text" }];
    const rows = table("Nome;MEDICO;Telefone", "Ana;Dra. Iara;31988124001", "Bia;;31988124002");
    const { mapping, columns } = understand(rows, fields);
    expect(columns[1]).toMatchObject({ mapping: { role: "field", field: "medico" }, reason: "known_field" });
    expect(apply(rows, mapping)).toMatchObject([{ fields: { medico: "Dra. Iara" } }, { fields: {} }]);
  });

  test("notes above the header are skipped", () => {
    const { mapping } = understand(
      table("Relatório", "Emitido em 25/11/2026", "Nome;Celular", "Ana;31988124001"),
    );
    expect(mapping).toMatchObject({ skip: 3, headerRow: 3 });
  });

  test("WhatsApp has rank 0, others follow by trust", () => {
    expect(rolesOf("Nome;Telefone;Celular;WhatsApp", "Ana;3133334444;31988124001;31988124002")).toEqual([
      "name",
      3,
      2,
      0,
    ]);
  });

  test.each([
    [
      "two people",
      ["Nome do Aluno;Nome do Responsável;Telefone", "Enzo;Zilá;31988124001"],
      "several_names",
      [1, 0],
    ],
    [
      "an animal and its owner",
      ["Nome;Responsável;Telefone", "Rex;Zilá;31988124001", "Mel;Rui;31988124002"],
      "several_names",
      [0, 1],
    ],
    [
      "two texts without a header",
      ["Ana;Betim;31988124001", "Bia;Ibirité;31988124002"],
      "several_names",
      [0, 1],
    ],
    [
      "two phones without a header",
      ["Ana;31988124001;3133334444", "Bia;31988124002;3133334445"],
      "several_phones",
      [1, 2],
    ],
    ["no phone", ["Nome;E-mail", "Ana;a@b.c"], "import_no_phone_column", []],
    [
      "a header twice",
      ["Nome;Telefone;Telefone", "Ana;31988124001;31988124002"],
      "import_duplicate_header",
      [],
    ],
    ["codes that fit nothing", ["Nome;DDI;Telefone", "Ana;999;2125551234"], "import_split_phone", []],
    [
      "a first row that is no person",
      ["Quem;Onde ligar", "Ana;31988124001", "Bia;31988124002"],
      "unsure_header",
      [],
    ],
  ])("asks about %s", (_, lines, code, columns) => {
    const { questions, columns: readings } = understand(table(...lines));
    expect(questions).toContainEqual(expect.objectContaining({ code, columns }));
    for (const at of columns) expect(readings[at]?.sure).toBe(false);
  });

  test.each([
    [["Nome do Pet;Nome do Tutor;Celular", "Rex;Zilá;31988124001"]],
    [["First Name;Last Name;Phone", "Ana;Lima;31988124001"]],
    [["Name;Given Name;Family Name;Phone", "Ana Lima;Ana;Lima;31988124001"]],
    [["Nome;Cidade;E-mail;Telefone;Celular", "Ana;Betim;a@b.c;3133334444;31988124001"]],
    [["Ana;31988124001", "Bia;31988124002"]],
    [["Nome;Nome completo;Telefone", "Ana;Ana Lima;31988124001"]],
    [["Nome;Contato;Telefone", "Ana;-;31988124001", "Bia;;31988124002"]],
    [["31988124001", "31988124002"]],
  ])("is sure of %j", (lines) => {
    expect(understand(table(...lines)).questions).toEqual([]);
  });

  test("300 columns are a table, and a row with more than its header is refused", () => {
    const wide = Array.from({ length: 298 }, (_, at) => `c${at}`).join(";");
    const all = table(`Nome;Telefone;${wide}`, `Ana;31988124001;${wide}`, `Silva; Bia;31988124002;${wide}`);
    const { mapping } = understand(all);
    expect(mapping.columns).toHaveLength(300);
    expect(people(apply(all, mapping))).toEqual([["Ana", "5531988124001"], "row_columns"]);
  });

  test("an empty table has nothing to understand", () => {
    expect(() => understand([])).toThrow(expect.objectContaining({ code: "import_empty" }));
  });
});

describe("a mapping that a person changed", () => {
  const rows = table(
    "Nome do Aluno;Nome do Responsável;Fone A;Fone B",
    "Enzo;Zilá;31988124001;3133334444",
    "Davi;Rui;;123",
  );
  const mapping: ImportMapping = {
    skip: 1,
    headerRow: 1,
    columns: [
      { role: "new_field", label: "Aluno", kind: "text" },
      { role: "name" },
      { role: "phone", rank: 2 },
      { role: "phone", rank: 1 },
    ],
    everyCell: false,
  };
  test("is followed", () => {
    expect(people(apply(rows, mapping))).toEqual([["Zilá", "5531988124001"], "phone_too_short"]);
    expect(apply(rows, mapping)[0]).toMatchObject({ furtherPhones: 1, fields: { Aluno: "Enzo" } });
  });
  test("a phone of two rows is repeated", () => {
    expect(
      apply([...rows, { row: 4, cells: rows[1]?.cells ?? [] }], mapping).map(({ outcome }) => outcome),
    ).toEqual(["imported", "refused", "repeated"]);
  });
  test("without a phone it cannot be applied", () => {
    expect(isUsable(mapping)).toBe(true);
    expect(isUsable({ ...mapping, columns: [{ role: "name" }] })).toBe(false);
  });
  test("a field may be called as a property of every object", () => {
    const [first] = apply(table("x;31988124001"), {
      skip: 0,
      headerRow: null,
      columns: [
        { role: "new_field", label: "__proto__", kind: "text" },
        { role: "phone", rank: 1 },
      ],
      everyCell: false,
    });
    expect(first && "fields" in first && Object.entries(first.fields)).toEqual([["__proto__", "x"]]);
  });
});

const digits = (length: number) => fc.stringMatching(new RegExp(`^[1-9]\\d{${length - 1}}$`));
const cell = fc.oneof(
  fc.constantFrom(
    "Ana",
    "NULL",
    "-",
    "",
    "São Paulo",
    "11",
    "55",
    "1",
    "+351",
    "BR",
    "Cel",
    "Fax",
    "31 e 32",
    "#N/D",
  ),
  ...[3, 8, 9, 10, 11, 12, 13, 14, 15].map(digits),
  digits(11).map((phone) => `(${phone.slice(0, 2)}) ${phone.slice(2, 7)}-${phone.slice(7)}`),
  digits(11).map((phone) => `https://wa.me/55${phone}`),
  digits(11).map((phone) => `55${phone}@c.us`),
  fc.tuple(digits(11), digits(10)).map((both) => both.join(" / ")),
  fc.string({ unit: CODE_POINT, maxLength: 12 }),
);
const header = fc.constantFrom(
  ..."Nome|Sobrenome|Telefone|Celular|WhatsApp|DDD|DDI|CPF|Tipo|Qual o seu nome?|".split("|"),
);
const rows = fc
  .tuple(
    fc.boolean(),
    fc.array(header, { minLength: 1, maxLength: 5 }),
    fc.array(fc.array(cell, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
  )
  .map(([isHeaded, head, body]) =>
    [...(isHeaded ? [head] : []), ...body].map((cells, at) => ({ row: at + 1, cells })),
  );
const column: fc.Arbitrary<ColumnMapping> = fc.oneof(
  fc.constantFrom<ColumnMapping>(
    { role: "name" },
    { role: "surname" },
    { role: "ddi" },
    { role: "ddd" },
    { role: "phone_kind" },
    { role: "ignore" },
    { role: "field", field: "cidade" },
    { role: "new_field", label: "Cidade", kind: "text" },
  ),
  fc.nat(4).map((rank) => ({ role: "phone" as const, rank })),
);
const anyMapping: fc.Arbitrary<ImportMapping> = fc.record({
  skip: fc.nat(3),
  headerRow: fc.option(fc.integer({ min: 1, max: 3 })),
  columns: fc.array(column, { maxLength: 6 }),
  everyCell: fc.boolean(),
});

type Rows = { row: number; cells: string[] }[];

function expectHonest(all: Rows, mapping: ImportMapping): void {
  const outcomes = apply(all, mapping);
  const read = all.filter(({ row, cells }) => row > mapping.skip && cells.some((one) => one.trim() !== ""));
  const ended = new Set(outcomes.map(({ row }) => row));
  expect(ended).toEqual(new Set(read.map(({ row }) => row)));
  const imported = outcomes.filter(({ outcome }) => outcome === "imported");
  expect(new Set(imported.map((one) => "phone" in one && one.phone)).size).toBe(imported.length);
  for (const one of outcomes) {
    if (one.outcome === "refused") expect(one.reason).toMatch(/^(phone|row)_/);
    else {
      const text = (all.find(({ row }) => row === one.row)?.cells ?? []).map((value) =>
        value.normalize("NFKC").replace(/\D/g, ""),
      );
      // Codes may stand in other cells of the row; a ninth digit may be added.
      expect(text.some((value) => value.includes(one.phone.slice(-5)))).toBe(true);
    }
  }
}

test("by any mapping every row of any table is imported, repeated or refused with a reason, and no phone is new", () => {
  fc.assert(fc.property(rows, anyMapping, expectHonest), { numRuns: 2_000 });
});

test("the same holds for what is proposed", () => {
  fc.assert(
    fc.property(rows, (all) => {
      try {
        expectHonest(all, understand(all).mapping);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
    }),
    { numRuns: 2_000 },
  );
});
