import path from "node:path";
import { AppError } from "../../../domain/errors.ts";
import { isDateFormat } from "./cell-value.ts";
import { type SheetContext, sheetRows, type TableRow } from "./sheet.ts";
import { parseXml, type XmlHandlers } from "./xml.ts";
import { ZipFile } from "./zip.ts";

export type Sheet = { name: string; part: string; isHidden: boolean };

const MOST_SHEETS = 500;
const MOST_STRINGS = 3_000_000;
const MOST_CHARS = 100_000_000;
/** A longer cell refuses its row; the rest of its text is not kept. */
const CELL_CHARS = 64 * 1024 + 1;

/** An `.xlsx` file. Throws `import_workbook_broken`, `import_workbook_too_large`, `import_encrypted`. */
export class Workbook {
  readonly #zip: ZipFile;
  readonly sheets: readonly Sheet[];
  readonly #context: SheetContext;

  private constructor(zip: ZipFile, sheets: readonly Sheet[], context: SheetContext) {
    this.#zip = zip;
    this.sheets = sheets;
    this.#context = context;
  }

  static async open(file: string): Promise<Workbook> {
    const zip = await ZipFile.open(file);
    try {
      const main = await mainPart(zip);
      const links = await linksOf(zip, main);
      const { sheets, is1904 } = await readSheets(zip, main, links);
      const part = (type: string) =>
        [...links.values()].find((link) => link.type === type && zip.has(link.part))?.part;
      const strings = await readStrings(zip, part("sharedStrings"));
      const dates = await readDateStyles(zip, part("styles"));
      return new Workbook(zip, sheets, { strings, dates, is1904 });
    } catch (error) {
      await zip.close();
      throw error;
    }
  }

  /** Rows that hold anything, in order; `row` counts from 1. */
  rows(sheet: Sheet): AsyncGenerator<TableRow[]> {
    return sheetRows(this.#zip.read(sheet.part), this.#context);
  }

  async close(): Promise<void> {
    await this.#zip.close();
  }
}

type Link = { part: string; type: string };

const nothing = () => undefined;

async function readPart(zip: ZipFile, part: string, handlers: Partial<XmlHandlers>): Promise<void> {
  const all = { open: nothing, text: nothing, close: nothing, ...handlers };
  for await (const _piece of parseXml(zip.read(part), all));
}

async function mainPart(zip: ZipFile): Promise<string> {
  const links = zip.has("_rels/.rels") ? await linksIn(zip, "_rels/.rels", "") : new Map<string, Link>();
  const main = [...links.values()].find(({ type, part }) => type === "officeDocument" && zip.has(part));
  if (main) return main.part;
  if (!zip.has("xl/workbook.xml")) throw new AppError("import_workbook_broken");
  return "xl/workbook.xml";
}

function linksOf(zip: ZipFile, main: string): Promise<Map<string, Link>> {
  const folder = path.posix.dirname(main);
  const file = `${folder}/_rels/${path.posix.basename(main)}.rels`;
  return zip.has(file) ? linksIn(zip, file, folder) : Promise.resolve(new Map());
}

async function linksIn(zip: ZipFile, file: string, folder: string): Promise<Map<string, Link>> {
  const links = new Map<string, Link>();
  await readPart(zip, file, {
    open(name, { Id, Target, Type }) {
      if (name !== "Relationship" || !Id || !Target || links.size > MOST_SHEETS * 4) return;
      const part = Target.startsWith("/") ? Target.slice(1) : path.posix.join(folder, Target);
      links.set(Id, { part, type: (Type ?? "").split("/").at(-1) ?? "" });
    },
  });
  return links;
}

async function readSheets(zip: ZipFile, main: string, links: ReadonlyMap<string, Link>) {
  const sheets: Sheet[] = [];
  let is1904 = false;
  await readPart(zip, main, {
    open(name, attributes) {
      if (name === "workbookPr") is1904 = /^(1|true)$/.test(attributes.date1904 ?? "");
      if (name !== "sheet" || sheets.length >= MOST_SHEETS) return;
      const link = links.get(attributes.id ?? "");
      if (link?.type !== "worksheet" || !zip.has(link.part)) return;
      const isHidden = (attributes.state ?? "visible") !== "visible";
      sheets.push({ name: (attributes.name ?? "").slice(0, 100), part: link.part, isHidden });
    },
  });
  return { sheets, is1904 };
}

async function readStrings(zip: ZipFile, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined) return strings;
  let text = "";
  let chars = 0;
  let isText = false;
  let isReading = false;
  await readPart(zip, part, {
    open(name) {
      if (name === "rPh") isReading = true;
      if (name === "t") isText = !isReading;
    },
    text(piece) {
      if (isText && text.length < CELL_CHARS) text += piece.slice(0, CELL_CHARS - text.length);
    },
    close(name) {
      if (name === "t") isText = false;
      if (name === "rPh") isReading = false;
      if (name !== "si") return;
      chars += text.length;
      strings.push(text);
      text = "";
      if (strings.length > MOST_STRINGS || chars > MOST_CHARS)
        throw new AppError("import_workbook_too_large");
    },
  });
  return strings;
}

async function readDateStyles(zip: ZipFile, part: string | undefined): Promise<boolean[]> {
  const dates: boolean[] = [];
  if (part === undefined) return dates;
  const codes = new Map<number, string>();
  let isCell = false;
  await readPart(zip, part, {
    open(name, { numFmtId, formatCode }) {
      if (name === "numFmt" && formatCode !== undefined && codes.size < MOST_STYLES)
        codes.set(Number(numFmtId), formatCode);
      if (name === "cellXfs") isCell = true;
      if (name !== "xf" || !isCell || dates.length >= MOST_STYLES) return;
      const id = Number(numFmtId ?? 0);
      dates.push(isDateFormat(id, codes.get(id)));
    },
    close(name) {
      if (name === "cellXfs") isCell = false;
    },
  });
  return dates;
}

const MOST_STYLES = 65_536;
