import fc from "fast-check";
import { expect, test } from "vitest";
import { detectLayout } from "../../domain/csv-layout.ts";
import { CsvScanner } from "../../domain/csv-scan.ts";
import { AppError } from "../../domain/errors.ts";
import { isBlank } from "../../domain/table-layout.ts";
import { readLine, readRow } from "../../domain/table-rows.ts";
import { RowSorter } from "./import-sort.ts";

type Row = { row: number; cells: string[] };

function imported(text: string) {
  const layout = detectLayout(text, true);
  const people: { phone: number; cells: string[] }[] = [];
  const noted: number[] = [];
  let at: Row = { row: 0, cells: [] };
  const sorter = new RowSorter({
    contact: ({ phone }) => void people.push({ phone, cells: at.cells }),
    named: () => undefined,
    refused: (row) => void noted.push(row),
    ninthAdded: () => undefined,
  });
  const scanner = new CsvScanner(layout.separator, {
    record(cells, row) {
      if (row <= layout.skip || isBlank(cells)) return;
      at = { row, cells };
      const rows = layout.everyCell
        ? [...readLine(cells)].filter((one) => one !== null)
        : [readRow(layout, cells)];
      for (const { name, phone, error } of rows) sorter.row(row, name, phone, error);
    },
    tooLong: () => undefined,
  });
  scanner.push(text);
  scanner.end();
  return { counts: sorter.counts, people, noted };
}

const digits = (length: number) => fc.stringMatching(new RegExp(`^[1-9]\\d{${length - 1}}$`));
const REPEATED = ["11987654321", "(11) 98765-4321", "+55 11 98765-4321"];
const cell = fc.oneof(
  // Drawn often enough to stand in a file twice.
  fc.constantFrom(...REPEATED),
  fc.constantFrom("Ana", "NULL", "-", "", "São Paulo", "123.456.789-09", "11", "55", "1", "+351", "US", "BR"),
  ...[3, 8, 9, 10, 11, 12, 13, 14, 15].map(digits),
  digits(11).map((phone) => `(${phone.slice(0, 2)}) ${phone.slice(2, 7)}-${phone.slice(7)}`),
  digits(9).map((phone) => `+55 31 ${phone}`),
);
const header = fc.constantFrom(
  ..."Nome|Telefone|Celular|WhatsApp|DDD|DDI|Código do país|CPF|Cidade|Número|E-mail|Código de área".split(
    "|",
  ),
);
const text = fc
  .tuple(
    fc.boolean(),
    fc.array(header, { minLength: 1, maxLength: 5 }),
    fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
  )
  .map(([headed, head, rows]) =>
    [...(headed ? [head] : []), ...rows].map((cells) => cells.join(";")).join("\n"),
  );

test("26.8 only numbers in a person's own row are imported; every row ends imported, repeated or refused", () => {
  fc.assert(
    fc.property(text, (file) => {
      let outcome: ReturnType<typeof imported>;
      try {
        outcome = imported(file);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        return;
      }
      const { counts, people, noted } = outcome;
      expect(counts.imported + counts.repeated + counts.refused).toBe(counts.rowsRead);
      expect([people.length, noted.length]).toEqual([counts.imported, counts.refused]);
      for (const { phone, cells } of people) {
        // Numbers are never joined from two cells.
        const ends = cells.map((value) => value.replace(/\D/g, "")).filter((value) => value.length >= 8);
        expect(ends.some((end) => String(phone).endsWith(end.slice(-8)))).toBe(true);
      }
    }),
    { numRuns: 3_000 },
  );
});

test("26.8 no number is read without the country that stands beside it", () => {
  const country = fc.constantFrom("1", "34", "351", "44", "49", "54", "595", "598");
  fc.assert(
    fc.property(country, digits(10), digits(8), (code, phone, brazilian) => {
      const rows = Array.from({ length: 60 }, (_, at) => `Ana;55;119${brazilian.slice(0, 6)}${10 + at}`);
      const { people } = imported(["Nome;DDI;Telefone", ...rows, `Bob;${code};${phone}`].join("\n"));
      const bob = people.filter(({ cells }) => cells[0] === "Bob");
      for (const { phone: read } of bob) expect(String(read).startsWith(code)).toBe(true);
    }),
  );
});
