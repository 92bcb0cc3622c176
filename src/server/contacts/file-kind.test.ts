import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { formatOf } from "./file-kind.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-kinds-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function kindOf(bytes: Uint8Array | string): Promise<string> {
  const file = path.join(folder, "file");
  fs.writeFileSync(file, bytes);
  try {
    return await formatOf(file);
  } catch (error) {
    const { code, details } = error as { code: string; details: { kind?: string } };
    return details.kind ?? code;
  }
}

const ole = (...names: string[]) =>
  Buffer.concat([
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    Buffer.alloc(6_000),
    ...names.map((name) => Buffer.from(name, "utf16le")),
  ]);
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

describe("C31 IM56 what is no table is named", () => {
  test.each([
    ["IM56 XML of Excel 2003", '<?xml version="1.0"?><Workbook><Worksheet/></Workbook>', "XML"],
    ["XML with its mark", '\ufeff<?xml version="1.0"?><a/>', "XML"],
    ["XML in UTF-16", Buffer.from('\ufeff<?xml version="1.0"?><a/>', "utf16le"), "XML"],
    ["a page", "\n  <!DOCTYPE html><html><body><table><tr><td>Nome</td></tr></table>", "HTML"],
    ["a system's page called .xls", "<table border=1><tr><td>Nome</td></tr></table>", "HTML"],
    ["a page in one file", "MIME-Version: 1.0\r\nContent-Type: multipart/related", "MHTML"],
    ["PDF", "%PDF-1.7\n%âãÏÓ", "PDF"],
    ["RTF", "{\\rtf1\\ansi", "RTF"],
    ["JSON", '[{"name":"Ana"}]', "JSON"],
    ["an old workbook", ole("Workbook"), "XLS"],
    ["an old text", ole("WordDocument"), "DOC"],
    ["a workbook under a password", ole("EncryptionInfo", "EncryptedPackage"), "import_encrypted"],
    ["PNG", png, "PNG"],
    [
      "JPEG",
      Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, 0, 1]), Buffer.alloc(200)]),
      "JPG",
    ],
    ["gzip", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), "GZ"],
    ["7-Zip", Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]), "7Z"],
    ["RAR", Buffer.from("Rar!\x1a\x07\x01\x00", "latin1"), "RAR"],
    ["an empty archive", Buffer.concat([Buffer.from([0x50, 0x4b, 5, 6]), Buffer.alloc(18)]), "ZIP"],
  ])("%s", async (_, bytes, kind) => {
    expect(await kindOf(bytes)).toBe(kind);
  });

  test("a vCard is one by its first line", async () => {
    expect(await kindOf("\ufeffbegin:vcard\r\n")).toBe("vcf");
    expect(await kindOf("BEGIN;VCARD")).toBe("csv");
  });

  test.each([
    ["a table", "Nome;Telefone\nAna;11987654321"],
    ["the same with its mark", "\ufeffNome;Telefone"],
    ["UTF-16", Buffer.from("\ufeffNome;Telefone\nAna;11987654321", "utf16le")],
    ["UTF-16 without its mark", Buffer.from("Nome;Telefone\nAna;11987654321", "utf16le")],
    ["letters of a picture's beginning", "BM;Telefone\nAna;11987654321"],
    ["a name that begins as a tag", "<Ana>;11987654321"],
    ["a NUL in a name", "Nome;Telefone\nA\0na;11987654321"],
    ["nothing", ""],
  ])("%s passes", async (_, bytes) => {
    expect(await kindOf(bytes)).toBe("csv");
  });
});
