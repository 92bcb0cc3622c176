import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../tests/support/code-point.ts";
import { cleanName } from "./contact-name.ts";
import { detectLayout } from "./csv-layout.ts";
import { CsvScanner, RECORD_LIMIT } from "./csv-scan.ts";
import { contactRecord, csvHeader, csvRecord, guardCell, unguardCell } from "./csv-write.ts";
import { readPhone } from "./phone-foreign.ts";
import { readRow } from "./table-rows.ts";

type Found = { cells: string[]; row: number } | { tooLong: number };

function scan(text: string, separator = ";", pieces = [text.length], quote = '"'): Found[] {
  const found: Found[] = [];
  const handlers = {
    record: (cells: string[], row: number) => void found.push({ cells, row }),
    tooLong: (row: number) => void found.push({ tooLong: row }),
  };
  const scanner = new CsvScanner(separator, handlers, quote);
  let at = 0;
  for (const size of pieces) {
    scanner.push(text.slice(at, at + size));
    at += size;
  }
  scanner.push(text.slice(at));
  scanner.end();
  return found;
}

const cells = (text: string, separator?: string) =>
  scan(text, separator).map((record) => ("cells" in record ? record.cells : []));

describe("records", () => {
  test("C11 lone CR, LF and CR LF mixed", () => {
    expect(cells("a;1\rb;2\nc;3\r\nd;4")).toEqual([
      ["a", "1"],
      ["b", "2"],
      ["c", "3"],
      ["d", "4"],
    ]);
  });
  test("C12 a separator inside quotes", () => {
    expect(cells('"Silva; João";1\n')).toEqual([["Silva; João", "1"]]);
  });
  test("C13 a line end inside quotes counts as one row", () => {
    expect(scan('"Ana\r\nMaria";1\nBia;2')).toEqual([
      { cells: ["Ana\r\nMaria", "1"], row: 1 },
      { cells: ["Bia", "2"], row: 2 },
    ]);
  });
  test("C14 doubled quotes", () => {
    expect(cells('"Zé ""Boy""";1')).toEqual([['Zé "Boy"', "1"]]);
  });
  test("a nickname in quotes, and quotes in the middle", () => {
    expect(cells('"Zé" Silva;1\nAna "Bia" C;2\n "x" ;3')).toEqual([
      ["Zé Silva", "1"],
      ['Ana "Bia" C', "2"],
      ["x", "3"],
    ]);
  });
  test.each([
    ["at the end", 'a;1\n"Ana;2\nBia;3\n', 2],
    ["met by another quote", 'a;1\nb;2\n"Ana;3\n"Bia";4\n', 3],
    ["beyond the limit of a record", `a;1\n"Ana;${"x\n".repeat(RECORD_LIMIT)}`, 2],
    ["beyond it, met by another quote", `a;1\n"Ana;${"x\n".repeat(RECORD_LIMIT)}"Bia";4\n`, 2],
  ])("C15 a quote that is never closed names its line: %s", (_, text, line) => {
    for (const pieces of [[text.length], [10, 70_000, 3], Array(30).fill(5_000)]) {
      expect(() => scan(text, ";", pieces)).toThrow(
        expect.objectContaining({ code: "import_unclosed_quote", details: { line } }),
      );
    }
  });
  test.each([
    ["bare", "x".repeat(10_000_000)],
    ["quoted", `"${"x\n".repeat(100_000)}"`],
  ])("C30 a field beyond 64 KB costs its own row alone: %s", (_, field) => {
    const text = `a;1\n${field};2\nBia;3\n`;
    for (const pieces of [[text.length], Array(200).fill(60_001)]) {
      expect(scan(text, ";", pieces)).toEqual([
        { cells: ["a", "1"], row: 1 },
        { tooLong: 2 },
        { cells: ["Bia", "3"], row: 3 },
      ]);
    }
  });
});

const cell = fc.string({
  unit: fc.constantFrom("a", "ã", " ", ";", ",", '"', "\n", "\r", "\t", "1", "'", "=", "😀"),
});
const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 });
const quoteAll = (rows: string[][], end: string) =>
  rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(";") + end).join("");

test("agrees with csv-parse on what is well formed, however it is cut into pieces", () => {
  fc.assert(
    fc.property(table, fc.constantFrom("\n", "\r\n"), fc.array(fc.nat(9)), (rows, end, pieces) => {
      const text = quoteAll(rows, end);
      const theirs = parse(text, { delimiter: ";", relax_column_count: true }) as string[][];
      expect(scan(text, ";", pieces).map((record) => "cells" in record && record.cells)).toEqual(theirs);
    }),
    { numRuns: 1_000 },
  );
});

test("any text in any pieces gives the same as in one", () => {
  const outcome = (text: string, pieces?: number[]) => {
    try {
      return scan(text, ";", pieces);
    } catch (error) {
      return String(error);
    }
  };
  const text = fc.string({ unit: fc.constantFrom("a", ";", '"', "\n", "\r", " "), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(5)), (any, pieces) => {
      expect(outcome(any, pieces)).toEqual(outcome(any));
    }),
    { numRuns: 3_000 },
  );
});

function contactsOf(text: string) {
  const layout = detectLayout(text, true);
  return scan(text, layout.separator, undefined, layout.quote)
    .map((record) => ("cells" in record ? record.cells : []))
    .slice(layout.skip)
    .map((record) => readRow(layout, record));
}
const person = (name: string, phone: string) => ({ name, phone, error: null });
const ana = [person("Ana", "11987654321")];

describe("layout", () => {
  test.each([
    ["C07 semicolon", "Nome;Telefone\nAna;11987654321"],
    ["C08 comma", "Nome,Telefone\nAna,11987654321"],
    ["C09 tab", "Nome\tTelefone\nAna\t11987654321"],
    ["a bar", "Nome|Telefone\nAna|11987654321"],
    ["apostrophes", "'Nome';'Telefone'\n'Ana';'11987654321'"],
    ["apostrophes around a separator", "'Nome','Telefone','Rua'\n'Ana','11987654321','Rua A, 10'"],
    ["C10 sep=", "sep=;\nNome;Telefone\nAna;11987654321"],
    ["C10 sep= with another sign", "sep=|\r\nNome|Telefone\r\nAna|11987654321"],
    ["C10 sep= below blank lines", "\r\n\r\nsep=|\r\nNome|Telefone\r\nAna|11987654321"],
    ["C10 sep= below blank lines, no header", "\n\nsep=|\nAna|11987654321"],
    ["C16 no header", "Ana;11987654321"],
    ["C17 Nome/Telefone", "Nome;Telefone\nAna;11987654321"],
    ["C18 name,phone", "name,phone\nAna,11987654321"],
    ["C19 CELULAR", "NOME;CELULAR\nAna;11987654321"],
    ["C19 WhatsApp", "Contato;WhatsApp\nAna;11987654321"],
    ["C19 Número", "nome;Número\nAna;11987654321"],
    ["a number beside a phone may be a house's", "Nome;Número;Telefone\nAna;123;11987654321"],
    [
      "a number is the phone where the phone's column holds none",
      "Nome;Número;WhatsApp\nAna;11987654321;Sim",
    ],
    [
      "two numbers beside a phone are houses'",
      "Nome;Endereço;Número;Telefone;Número\nAna;Rua A;123;11987654321;45",
    ],
    ["C19 with signs", "Nome do contato;Nº de telefone (1)\nAna;11987654321"],
    ["a phone whose name says more", "Nome;CPF;Telefone (código + número)\nAna;119.445.777-35;11987654321"],
    ["papers before a phone of another name", "Nome;CPF;Recados\nAna;119.445.777-35;11987654321"],
    ["C20 columns swapped", "Telefone;Nome\n11987654321;Ana"],
    ["C20 swapped, no header", "11987654321,Ana"],
    ["blank lines above", "\n\n;;\nNome;Telefone\nAna;11987654321"],
    ["other columns around", "Id;Nome;E-mail;Celular\n7;Ana;a@b.c;11987654321"],
    ["Contato beside Nome is the phone", "Nome;Contato\nAna;11987654321"],
    ["WhatsApp before Telefone", "Nome;Telefone;WhatsApp\nAna;1133334444;11987654321"],
    ["the other phone when the first is empty", "Nome;Telefone;WhatsApp\nAna;11987654321;"],
    [
      "the other phone when the first says that there is none",
      "Nome;Telefone;WhatsApp\nAna;11987654321;não tem",
    ],
    [
      "whatever an address book calls a phone",
      "Nome;Celular;Telefone fixo;Outro telefone\nAna;;;11987654321",
    ],
    ["the same of Outlook", "First Name,Mobile Phone,Home Phone,Business Phone\nAna,,,11987654321"],
    ["the other phone when the first is a dash", "Nome;Telefone;WhatsApp\nAna;11987654321;-"],
  ])("%s", (_, text) => {
    expect(contactsOf(text)).toEqual(ana);
  });

  test("the person is who the header names, whatever stands before", () => {
    expect(contactsOf("Cidade;Contato;Telefone\nBetim;Ana;11987654321")).toEqual(ana);
  });
  test("a title above the header, as reports of other systems have it, is neither a person nor hides the columns", () => {
    const text = `Relatório de Clientes;;;;
Emitido em 25/11/2026;;;;

Código;Vendedor;Cliente;CPF;Celular
1;Paulo;Ana;119.445.777-00;11987654321
2;Paulo;Bia;21944577718;
3;Paulo;Cris;31944577726;`;
    expect(contactsOf(text)).toEqual([...ana, person("Bia", ""), person("Cris", "")]);
  });
  test("IM48 notes of any number above the header, a phone among them", () => {
    const notes = Array.from({ length: 30 }, (_, at) => `Nota ${at + 1}: leia antes de preencher`).join("\n");
    const text = `Clínica Vida - (31) 3222-1111\n${notes}\n;Código;Nome;Sobrenome;Celular\n;1;Ana;;11987654321\n`;
    expect(contactsOf(text)).toEqual(ana);
  });
  test("of two header lines the fuller one names the columns", () => {
    const grouped = "Cliente;;Telefone;\nNome;CPF;Celular;Fixo\nAna;119.445.777-35;11987654321;1133334444";
    expect(contactsOf(grouped)).toEqual(ana);
    expect(contactsOf("Cliente;;Telefone;\nNome;Apelido;Recado;Celular\nAna;Aninha;;11987654321")).toEqual(
      ana,
    );
    expect(contactsOf("Dados;;Contato;\nNome;CPF;Celular;E-mail\nAna;;11987654321;a@b.c")).toEqual(ana);
  });
  test("people whose cells are words of a header are people", () => {
    const text = "Ana;11987654321;Celular\nCliente;11987654322;Celular\nContato;11987654323;WhatsApp";
    expect(contactsOf(text)).toHaveLength(3);
  });
  test("what looks like a header below people is a row of its own", () => {
    const text = "Ana;11987654321;Betim\nNome;Celular;Cidade\nBia;11987654322;Betim";
    expect(contactsOf(text)).toHaveLength(3);
    expect(contactsOf("Ana;sem telefone;Betim\nNome;Celular;\nBia;11987654322;")).toHaveLength(3);
  });
  test("papers without a header are no phones, though they read as strangers' numbers", () => {
    const text = "Ana;11944577700;11987654321\nBia;11999988850;\nCris;319.992.468-96;\n";
    expect(contactsOf(text)).toEqual([...ana, person("Bia", ""), person("Cris", "")]);
  });
  const google = "First Name,Middle Name,Last Name,Phonetic First Name,Name Suffix,Organization Name";
  test.each([
    ["Google's", `${google},Phone 1 - Label,Phone 1 - Value\nAna,Lima,Souza,,,Padaria,Mobile,11987654321`],
    [
      "Google's of before, whose Name is whole",
      "Name,Given Name,Additional Name,Family Name,Phone 1 - Value\nAna Lima Souza,Ana,Lima,Souza,11987654321",
    ],
    ["Outlook's", "Title,First Name,Middle Name,Last Name,Mobile Phone\nDra.,Ana,Lima,Souza,11987654321"],
    ["Outlook's here", "Nome,Segundo Nome,Sobrenome,Telefone Celular\nAna,Lima,Souza,11987654321"],
    ["Apple's", "First name;Last name;Phone\nAna;Lima Souza;11987654321"],
    ["a shop's", "Billing Last Name,Billing First Name,Billing Phone\nLima Souza,Ana,11987654321"],
    ["a table of here", "Nome;Sobrenome;Telefone\nAna;Lima Souza;11987654321"],
    ["whole already", "Nome;Sobrenome;Telefone\nAna Lima Souza;Lima SOUZA;11987654321"],
    ["whole beside its parts", "Nome completo;Sobrenome;Telefone\nAna Lima Souza;Silva;11987654321"],
    ["no first one", "First Name,Last Name,Mobile\n,Ana Lima Souza,11987654321"],
    ["a dash for the last one", "Nome;Sobrenome;Telefone\nAna Lima Souza;-;11987654321"],
    ["a dash for the first one", "Nome;Sobrenome;Telefone\n-;Ana Lima Souza;11987654321"],
    ["no last one", "First Name,Last Name,Mobile\nAna Lima Souza,,11987654321"],
  ])("a name whose parts stand apart is one: %s", (_, text) => {
    expect(contactsOf(text)).toEqual([person("Ana Lima Souza", "11987654321")]);
  });
  test("a surname that would make the name too long for the row stays out", () => {
    const name = "A".repeat(110);
    const text = `Nome;Sobrenome;Telefone\n${name};Lima de Souza;11987654321`;
    expect(contactsOf(text)).toEqual([person(name, "11987654321")]);
  });
  test.each([
    ["Hotmart", "Nome;Documento;DDD;Telefone\nAna;1;11;987654321"],
    ["the Receita, of two phones the second", "Nome;DDD 1;TELEFONE 1;DDD 2;TELEFONE 2\nAna;;;11;987654321"],
    ["called a phone itself", "Nome;DDD Celular;Celular\nAna;11;987654321"],
  ])("a DDD in a column of its own belongs to the phone after it: %s", (_, text) => {
    expect(contactsOf(text)).toEqual([person("Ana", "11 987654321")]);
  });
  test.each([
    ["where the phone has it too", "Nome;DDD;Telefone\nAna;31;11987654321"],
    ["where it is empty", "Nome;DDD;Telefone\nAna;;11987654321"],
    ["where what is called so is the whole phone", "Nome;DDD Celular;Telefone\nAna;11987654321;33334444"],
  ])("and to none %s", (_, text) => {
    expect(contactsOf(text)).toEqual(ana);
  });
  test.each([
    ["a word more", "Produto;Nome do Comprador;E-mail;Telefone\nBolos;Ana;a@b.c;11987654321"],
    ["a system's path", "Fatura;Produto;Cliente / Nome;Cliente / Telefone\n1;Bolos;Ana;11987654321"],
    ["who it is", "Curso;Aluno;Telefone\nBolos;Ana;11987654321"],
    ["English", "Country,Phone Number,Saved Name\nBrazil,11987654321,Ana"],
    ["none of the known ones", "E-mail;Cidade;Status;Síndica;Telefone\na@b.c;Betim;Ativo;Ana;11987654321"],
    ["no header", "a@b.c;Ana;11987654321"],
  ])("the name is the person's: %s", (_, text) => {
    expect(contactsOf(text)).toEqual(ana);
  });
  test.each(["E-mail;Telefone\na@b.c;11987654321", "Cidade;Telefone\nBetim;11987654321"])(
    "a word that is no name is not used as a name: %s",
    (text) => {
      expect(contactsOf(text)).toEqual([person("", "11987654321")]);
    },
  );
  test("without a header the first record is one of many: as wide as most of them is right", () => {
    const text = "11987654320\nAna;11987654321\nBia;11987654322";
    expect(contactsOf(text).map((row) => row.error)).toEqual(["row_columns", null, null]);
  });
  test("phones alone, with and without header", () => {
    const alone = [{ name: "", phone: "11987654321", error: null }];
    expect(contactsOf("Telefone\n11987654321")).toEqual(alone);
    expect(contactsOf("11987654321")).toEqual(alone);
  });
  test("C16 a first row that only looks like a header is kept as a row", () => {
    expect(contactsOf("Cliente 1;11987654321\nCliente 2;11987654322")).toHaveLength(2);
    expect(contactsOf("Ana;sem telefone\nBia;11987654322")).toHaveLength(2);
    expect(contactsOf("Contato;1198765\nBia;11987654322")).toHaveLength(2);
  });
  test.each([
    ["C21 duplicate header", "Nome;Telefone;telefone\nAna;1;2", "import_duplicate_header"],
    ["C22 no phone column", "Nome;E-mail\nAna;a@b.c", "import_no_phone_column"],
    [
      "C22 papers instead of phones",
      "Nome;CPF;CEP\nAna;119.445.777-35;30130010\nBia;52998224725;30130-011",
      "import_no_phone_column",
    ],
    [
      "C22 papers alone",
      "CNPJ;Valor\n11944577735000;1099887766\n11222333000181;10",
      "import_no_phone_column",
    ],
    ["C23 0 bytes", "", "import_empty"],
    ["C24 header only", "Nome;Telefone\n", "import_empty"],
    ["C25 only blank lines", "\n\r\n;;\n  \n", "import_empty"],
  ])("%s", (_, text, code) => {
    expect(() => contactsOf(text)).toThrow(expect.objectContaining({ code }));
  });
  test("C26 ragged rows are refused one by one", () => {
    const text = "Nome;Telefone\nAna;11987654321\nBia\nSilva; Cris;11987654322\nDavi;11987654323;;\n";
    expect(contactsOf(text).map((row) => row.error)).toEqual([null, "row_columns", "row_columns", null]);
  });
});

describe("names", () => {
  const clean = (text: string) => {
    const read = cleanName(text);
    return "name" in read ? read.name : read.error;
  };
  test("C38 emoji joined by ZWJ are kept", () => {
    expect(clean("Família 👨‍👩‍👧 Souza")).toBe("Família 👨‍👩‍👧 Souza");
    expect(clean("👩🏽‍⚕️ Dra. Ana")).toBe("👩🏽‍⚕️ Dra. Ana");
  });
  test("C39 a NUL is refused", () => {
    expect(clean("An\0a")).toBe("row_bad_text");
    expect(clean("An\ud800a")).toBe("row_bad_text");
  });
  test("C40 direction overrides and zero-width marks go", () => {
    expect(clean("\u202eanA\u202c Ma\u200bria\u200d")).toBe("anA Maria");
  });
  test("decomposed accents are composed, line ends become a blank", () => {
    expect(clean("Joa\u0303o\r\nSilva ")).toBe("João Silva");
  });
  test("120 code points are the limit", () => {
    expect(clean("😀".repeat(120))).toBe("😀".repeat(120));
    expect(clean("a".repeat(121))).toBe("row_name_too_long");
  });
  test("cleaning twice is cleaning once", () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT, maxLength: 60 }), (text) => {
        const once = clean(text);
        if (!once.startsWith("row_")) expect(clean(once)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("written", () => {
  test.each([
    ["C41", '=HYPERLINK("http://x")'],
    ["C42", "+1"],
    ["C43", "-1"],
    ["C44", "@x"],
    ["C45", "\tx"],
  ])("%s %j cannot run as a formula, and comes back as it was", (_, name) => {
    expect(guardCell(name)).toBe(`'${name}`);
    expect(unguardCell(guardCell(name))).toBe(name);
    expect(csvRecord([name, "1"])).toMatch(/^"?'/);
  });

  test("C45 export and import are each other's reverse", () => {
    const raw = fc.string({
      unit: fc.oneof(
        fc.constantFrom("=", "'", '"', ";", ",", "+", "-", "@", "\n", " ", "ã", "😀"),
        fc.string({ unit: CODE_POINT, minLength: 1, maxLength: 2 }),
      ),
      maxLength: 30,
    });
    const name = raw.map((text) => cleanName(text)).filter((read) => "name" in read);
    const phone = fc.oneof(
      fc.integer({ min: 0, max: 99_999_999 }).map((n) => `55119${String(n).padStart(8, "0")}`),
      fc.constantFrom("551132345678", "14155552671", "351912345678", "447911123456"),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, phone), { minLength: 1, maxLength: 6 }), (contacts) => {
        const text =
          csvHeader(["Nome", "Telefone"]) +
          contacts.map(([read, number]) => contactRecord(read.name, number)).join("");
        const back = contactsOf(text.slice(1)).map((row) => [cleanName(row.name), readPhone(row.phone)]);
        expect(back).toEqual(contacts.map(([read, number]) => [read, { phone: number, ninthAdded: false }]));
      }),
      { numRuns: 2_000 },
    );
  });
});
