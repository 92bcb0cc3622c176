import { describe, expect, test } from "vitest";
import { decoderOf, type SingleByte } from "./single-byte.ts";
import { encodingDetector } from "./text-encoding.ts";

function encoded(text: string, encoding: SingleByte): Buffer {
  const decoder = decoderOf(encoding);
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  return Buffer.from([...text].map((sign) => bytes.get(sign) ?? 0x3f));
}

function detect(bytes: Uint8Array): string {
  const detector = encodingDetector();
  detector.push(bytes);
  return detector.result();
}

const NAMES = [
  "Nome;Telefone\nJoão;11987654321\n",
  "Nome;Telefone\nJosé Antônio;1\nInês Conceição;2\nÉrica Gonçalves;3\n",
  "NOME;TELEFONE\nJOÃO;1\nSEBASTIÃO CONCEIÇÃO;2\nLOURENÇO;3\n",
  "Município;Endereço\nSão João del-Rei;Praça da Sé, 2º andar\n",
  "Nome\nÂngela D’Ávila\n",
];

describe.each(["windows-1252", "macintosh", "cp850"] as const)("names in %s are recognized", (encoding) => {
  test.each(NAMES)("%j", (text) => {
    const written = encoding === "cp850" ? text.replaceAll("’", "'") : text;
    const bytes = encoded(written, encoding);
    expect(detect(bytes)).toBe(encoding);
    expect(decoderOf(encoding).decode(bytes)).toBe(written);
  });
});

test.each([
  ["one Portuguese word alone", "LOURENÇO", "windows-1252"],
  ["an apostrophe of accents", "Joana D´Ávila", "windows-1252"],
  ["German", "Jürgen Groß", "windows-1252"],
  ["French", "Zoë Crème Lefèvre", "windows-1252"],
  ["Spanish", "Iñaki Muñoz", "windows-1252"],
  ["quotes", "João “Zé” – 2ª via", "windows-1252"],
] as const)("%s: «%s» is %s", (_, text, encoding) => {
  expect(detect(encoded(text, "windows-1252"))).toBe(encoding);
});

test("Š, Œ, œ and Ÿ are of ISO-8859-15 where windows-1252 has signs", () => {
  const bytes = encoded("Nome\nŠárka;1\nCœur João;2\n", "iso-8859-15");
  expect(detect(bytes)).toBe("iso-8859-15");
  expect(decoderOf("iso-8859-15").decode(bytes)).toContain("Šárka");
});

test("letters of another alphabet are asked about", () => {
  const cyrillic = Buffer.from([0xc8, 0xe2, 0xe0, 0xed, 0x3b, 0xcc, 0xe0, 0xf0, 0xe8, 0xff]);
  expect(() => detect(cyrillic)).toThrow(expect.objectContaining({ code: "import_unreadable_encoding" }));
});

test("a long text of DOS is decoded in pieces as in one", () => {
  const text = "João;".repeat(10_000);
  expect(decoderOf("cp850").decode(encoded(text, "cp850"))).toBe(text);
});
