import { crc32, deflateRawSync } from "node:zlib";

export type Cell = string | number | null | { xml: string };
export type SheetRows = readonly (readonly Cell[])[];

export function zip(files: Readonly<Record<string, string | Buffer>>, { flags = 0 } = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(20, 4);
    head.writeUInt16LE(flags, 6);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(crc32(bytes), 14);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(bytes.length, 22);
    head.writeUInt16LE(Buffer.byteLength(name), 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    head.copy(entry, 6, 4, 30);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, Buffer.from(name));
    parts.push(head, Buffer.from(name), packed);
    offset += head.length + Buffer.byteLength(name) + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function cellXml(cell: Cell): string {
  if (cell === null) return "<c/>";
  if (typeof cell === "number") return `<c><v>${cell}</v></c>`;
  return typeof cell === "string" ? `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>` : cell.xml;
}

export const sheetXml = (rows: SheetRows) =>
  `<worksheet><sheetData>${rows.map((row) => `<row>${row.map(cellXml).join("")}</row>`).join("")}</sheetData></worksheet>`;

type Parts = {
  sheets: Readonly<Record<string, string>>;
  hidden?: readonly string[];
  more?: Record<string, string>;
  date1904?: boolean;
};

export function workbookParts({
  sheets,
  hidden = [],
  more = {},
  date1904 = false,
}: Parts): Record<string, string> {
  const names = Object.keys(sheets);
  const base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const link = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${base}/${type}" Target="${target}"/>`;
  const parts: Record<string, string> = {
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": `<Relationships>${link("rId1", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    "xl/workbook.xml": `<workbook xmlns:r="${base}"><workbookPr date1904="${date1904 ? 1 : 0}"/><sheets>${names
      .map(
        (name, at) =>
          `<sheet name="${escaped(name)}" r:id="s${at}"${hidden.includes(name) ? ' state="hidden"' : ""}/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${names
      .map((_, at) => link(`s${at}`, "worksheet", `worksheets/sheet${at + 1}.xml`))
      .join(
        "",
      )}${link("t", "sharedStrings", "sharedStrings.xml")}${link("y", "styles", "styles.xml")}</Relationships>`,
    ...more,
  };
  for (const [at, name] of names.entries()) parts[`xl/worksheets/sheet${at + 1}.xml`] = sheets[name] ?? "";
  return parts;
}

export const xlsx = (rows: SheetRows) => zip(workbookParts({ sheets: { Contatos: sheetXml(rows) } }));
