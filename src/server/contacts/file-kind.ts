import fs from "node:fs";
import { fileTypeFromFile } from "file-type";
import { AppError } from "../../domain/errors.ts";
import { unmarkedUtf16 } from "../../domain/text-encoding.ts";
import { ZipFile } from "./workbook/zip.ts";

const HEAD = 4_096;
const OLE = [0xd0, 0xcf, 0x11, 0xe0];
/** A workbook's parts are named at the end of the file. */
const OLE_SCANNED = 32 * 1024 * 1024;

const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^%PDF-/, "PDF"],
  [/^\{\\rtf/, "RTF"],
  [/^MIME-Version:/i, "MHTML"],
  [/^BEGIN:VCARD/i, "VCF"],
  [/^BEGIN:VCALENDAR/i, "ICS"],
  [/^<(?:!doctype html|html|head|body|meta|table|div|style|script|center)\b/i, "HTML"],
  [/^<(?:\?xml|workbook|!--|svg)/i, "XML"],
  [/^(?:\[\s*[[{]|\{\s*")/, "JSON"],
];

export type TableFormat = "csv" | "xlsx" | "vcf";

const WORKBOOKS = new Set(["XLSX", "XLSM", "XLTX", "XLTM"]);

/** Throws `import_not_csv` for a file that holds no table, `import_encrypted` for a workbook under a password. */
export async function formatOf(file: string): Promise<TableFormat> {
  const kind = await kindOf(file);
  if (kind === null) return "csv";
  if (kind === "VCF") return "vcf";
  if (WORKBOOKS.has(kind) || (kind === "ZIP" && (await isWorkbook(file)))) return "xlsx";
  throw new AppError("import_not_csv", { kind });
}

async function isWorkbook(file: string): Promise<boolean> {
  try {
    const zip = await ZipFile.open(file);
    await zip.close();
    return zip.has("xl/workbook.xml");
  } catch {
    return false;
  }
}

/** Null for text. By content: many files bear a wrong name. */
async function kindOf(file: string): Promise<string | null> {
  const head = await beginning(file, HEAD);
  if (OLE.every((byte, at) => head[at] === byte)) return oleKind(file);
  const text = textOf(head);
  const known = TEXTS.find(([pattern]) => pattern.test(text.trimStart().slice(0, 200)));
  if (known) return known[1];
  // By two letters such as «BM» text would be taken for a picture.
  if (!isBinary(head)) return null;
  const type = await fileTypeFromFile(file);
  return type ? type.ext.toUpperCase() : null;
}

async function oleKind(file: string): Promise<string> {
  const bytes = await beginning(file, OLE_SCANNED);
  const holds = (name: string) => bytes.includes(Buffer.from(name, "utf16le"));
  if (holds("EncryptedPackage")) throw new AppError("import_encrypted");
  return holds("Workbook") || holds("Book") ? "XLS" : "DOC";
}

async function beginning(file: string, length: number): Promise<Buffer> {
  const handle = await fs.promises.open(file);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(length, size));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function textOf(head: Buffer): string {
  const [a, b] = head;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(head);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(head);
  return new TextDecoder("utf-8").decode(head);
}

function isBinary(head: Buffer): boolean {
  const [a, b] = head;
  const isUtf16 = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || unmarkedUtf16(head) !== null;
  if (isUtf16) return false;
  return head.subarray(0, BINARY_HEAD).some((byte) => byte < 0x07 || byte === 0x1a) || isPicture(head);
}

const BINARY_HEAD = 64;
const isPicture = (head: Buffer) =>
  (head[0] === 0xff && head[1] === 0xd8) || head[0] === 0x89 || head[0] === 0x1f;
