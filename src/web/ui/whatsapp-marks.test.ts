import fc from "fast-check";
import { describe, expect, test } from "vitest";
import examples from "./whatsapp-examples.json" with { type: "json" };
import { type Block, type Piece, whatsappBlocks, whatsappPieces } from "./whatsapp-marks.ts";

const TAGS = { bold: "b", italic: "i", strike: "s", mono: "mono", code: "code" } as const;
const tagged = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => {
      if (typeof piece === "string") return piece;
      if ("link" in piece) return `<a>${piece.text}</a>`;
      const inside = "inside" in piece ? tagged(piece.inside) : piece.text;
      return `<${TAGS[piece.mark]}>${inside}</${TAGS[piece.mark]}>`;
    })
    .join("");
const LINE_SIGNS: Readonly<Record<Block["kind"], string>> = {
  text: "",
  quote: "❝ ",
  bullets: "• ",
  numbers: "",
};

describe.each(Object.entries(examples))("%s", (_rule, pairs) => {
  test.each(pairs)("%j is drawn as %j", (text, drawn) => {
    const lines = whatsappBlocks(text ?? "").flatMap((block) =>
      block.lines.map(({ label, pieces }) => LINE_SIGNS[block.kind] + label + tagged(pieces)),
    );
    expect(lines.join("\n")).toBe(drawn);
  });
});

const drawnOf = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) =>
      typeof piece === "string" ? piece : "inside" in piece ? drawnOf(piece.inside) : piece.text,
    )
    .join("");
const allDrawn = (text: string) =>
  whatsappBlocks(text)
    .flatMap(({ lines }) => lines.map(({ label, pieces }) => label + drawnOf(pieces)))
    .join("\n");
const linksIn = (text: string) => {
  const of = (pieces: readonly Piece[]): string[] =>
    pieces.flatMap((piece) =>
      typeof piece === "string" || "mark" in piece
        ? typeof piece !== "string" && "inside" in piece
          ? of(piece.inside)
          : []
        : [`${piece.text} → ${piece.link}`],
    );
  return whatsappBlocks(text).flatMap(({ lines }) => lines.flatMap(({ pieces }) => of(pieces)));
};

test("marks become bold, italic, struck through and equal widths, also one in another", () => {
  expect(whatsappPieces("Hoje: *40% de desconto* até _domingo_.")).toEqual([
    "Hoje: ",
    { mark: "bold", inside: ["40% de desconto"] },
    " até ",
    { mark: "italic", inside: ["domingo"] },
    ".",
  ]);
  expect(whatsappPieces("*_oi_*")).toEqual([{ mark: "bold", inside: [{ mark: "italic", inside: ["oi"] }] }]);
  expect(whatsappPieces("~R$ 90~ ```a\n*b*``` e `*c*`")).toEqual([
    { mark: "strike", inside: ["R$ 90"] },
    " ",
    { mark: "mono", text: "a\n*b*" },
    " e ",
    { mark: "code", text: "*c*" },
  ]);
});

test("signs that mark nothing stay as they are", () => {
  for (const text of [
    "2*3*4",
    "a * b * c",
    "*",
    "**",
    "nome_do_arquivo",
    "*aberto",
    "*duas\nlinhas*",
    "`",
    "``",
    "```",
    "`a\nb`",
    "a_b_c",
    "*a _b* c_".slice(0, 2),
  ])
    expect(whatsappPieces(text)).toEqual([text]);
  expect(whatsappPieces("*a _b* c_")).toEqual([{ mark: "bold", inside: ["a _b"] }, " c_"]);
});

test("MS03 quotes, bullets and numbered lines are drawn as such, neighbours together", () => {
  const text = "> citado\n- item um\n- item *dois*\n* item três\n1. primeiro\n2. segundo\nfim";
  const one = (piece: Piece, label = "") => ({ label, pieces: [piece] });
  expect(whatsappBlocks(text)).toEqual([
    { kind: "quote", lines: [one("citado")] },
    {
      kind: "bullets",
      lines: [
        one("item um"),
        { label: "", pieces: ["item ", { mark: "bold", inside: ["dois"] }] },
        one("item três"),
      ],
    },
    { kind: "numbers", lines: [one("primeiro", "1. "), one("segundo", "2. ")] },
    { kind: "text", lines: [one("fim")] },
  ]);
});

test("MS03 what only looks like a list or a quote is a plain line", () => {
  for (const text of [
    ">sem espaço",
    "-sem",
    "1.sem",
    "- ",
    "> ",
    "1234. longe",
    "a > b",
    "*negrito*",
    "-",
    "```\n- a\n```",
  ])
    expect(whatsappBlocks(text).map(({ kind }) => kind)).toEqual(["text"]);
});

test("MS05 an address is left alone, letter for letter, and can be pressed", () => {
  const text =
    "Veja: https://drive.exemplo.com.br/_pedido_/nota_fiscal_final.pdf e https://x.exemplo.com.br/doc/__init__.py";
  expect(allDrawn(text)).toBe(text);
  expect(linksIn(text)).toEqual([
    "https://drive.exemplo.com.br/_pedido_/nota_fiscal_final.pdf → https://drive.exemplo.com.br/_pedido_/nota_fiscal_final.pdf",
    "https://x.exemplo.com.br/doc/__init__.py → https://x.exemplo.com.br/doc/__init__.py",
  ]);
});

test.each([
  ["*https://a.exemplo*", ["https://a.exemplo"]],
  ["_veja https://a.exemplo/x_.", ["https://a.exemplo/x"]],
  ["https://a.exemplo/x_", ["https://a.exemplo/x_"]],
  ["(https://a.exemplo/b_(c)), ok", ["https://a.exemplo/b_(c)"]],
  ["www.loja.exemplo/_a_ Loja.com.br/*b*.", ["www.loja.exemplo/_a_", "Loja.com.br/*b*"]],
  ["wa.me/5511999990000!", ["wa.me/5511999990000"]],
  ["Escreva: ana_b_c@exemplo.com.br.", ["ana_b_c@exemplo.com.br"]],
  ["10.000,00 Oi.tudo bem javascript:alert(1) ftp://a.b http://", []],
  ["`https://a.exemplo` ```www.a.com```", []],
])("MS05 addresses in %s", (text, addresses) => {
  expect(linksIn(text).map((link) => link.split(" → ")[0])).toEqual(addresses);
  for (const link of linksIn(text)) expect(link).toMatch(/ → (?:https?:\/\/|mailto:\S+@)/);
});

const PARTS = [
  "*",
  "_",
  "~",
  "`",
  "```",
  "\n",
  " ",
  "> ",
  "- ",
  "* ",
  "1. ",
  "a",
  "ção",
  "2",
  "🐝",
  ".",
  ")",
  "(",
  "https://x.exemplo/_a_",
  "www.a.com",
  "(",
  "https://",
  "ana_b_@a.exemplo",
  "@",
];
const composed = fc.array(fc.constantFrom(...PARTS), { maxLength: 40 }).map((parts) => parts.join(""));

test("what is drawn is the text without signs that WhatsApp hides too, and nothing else is missing or moved", () => {
  fc.assert(
    fc.property(fc.oneof(composed, fc.string()), (text) => {
      const drawn = allDrawn(text);
      let at = 0;
      const hidden: string[] = [];
      for (const sign of text) {
        if (drawn.startsWith(sign, at)) at += sign.length;
        else hidden.push(sign);
      }
      expect([at, hidden.filter((sign) => !"*_~`>- ".includes(sign))]).toEqual([drawn.length, []]);
    }),
    { numRuns: 3_000 },
  );
});

test("addresses are parts of the text as it stands", () => {
  fc.assert(
    fc.property(composed, (text) => {
      for (const link of linksIn(text)) expect(text).toContain(link.split(" → ")[0]);
    }),
    { numRuns: 1_000 },
  );
});

test("a message full of signs, as long as WhatsApp lets anybody write, is split at once", () => {
  const bold = whatsappPieces("*a* ".repeat(16_384));
  expect(bold).toHaveLength(32_768);
  expect(bold.slice(-2)).toEqual([{ mark: "bold", inside: ["a"] }, " "]);
  for (const text of [" *a".repeat(21_845), "_a ".repeat(21_845)])
    expect(whatsappPieces(text)).toEqual([text]);
});

test("400,000 signs of a stranger are split at once, whatever they are", () => {
  const parts = [
    ...PARTS,
    "`a\n",
    "a.",
    "a-",
    "https://a.exemplo/)",
    "_https://a.exemplo/_ ",
    "*_~a~_* ",
    "> a\n",
  ];
  const began = performance.now();
  for (const part of parts) expect(allDrawn(part.repeat(400_000 / part.length)).length).toBeGreaterThan(0);
  const dots = `https://a.exemplo${".".repeat(400_000)}`;
  expect(allDrawn(dots)).toBe(dots);
  // About 1 s for all; a full search per mark would take minutes.
  expect(performance.now() - began).toBeLessThan(30_000);
});
