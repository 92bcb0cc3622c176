import fs from "node:fs";
import path from "node:path";

/** A test by its file (from the root) and its name, `describe > test`; `…` stands for any words. */
export type Proof = { file: string; name: string };

export type Row = {
  id: string;
  page: string;
  heading: string;
  quote: string;
  decisions: number[];
  proofs: Proof[];
  reason: string;
};

export type Piece = { heading: string; text: string };

const HEADING = /^#+ (.+)$/;
const DIVIDER = /^\|(?:\s*:?-+:?\s*\|)+$/;

const cellsOf = (line: string) =>
  line
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

export function readRows(page: string, markdown: string): Row[] {
  const rows: Row[] = [];
  let heading = "";
  for (const line of markdown.split("\n")) {
    heading = HEADING.exec(line)?.[1] ?? heading;
    const [id = "", quote = "", how = ""] = line.startsWith("|") ? cellsOf(line) : [];
    if (!/^[0-9A-Z]+\.\d+$/.test(id)) continue;
    const proofs = Array.from(how.matchAll(/`([^`]+?) › ([^`]+)`/g), ([, file = "", name = ""]) => ({
      file,
      name,
    }));
    const decisions = Array.from(how.matchAll(/Decision (\d+)/g), ([, number]) => Number(number));
    const decision = /^D(\d+)/.exec(id)?.[1];
    const under = decision === undefined ? heading : `Decision ${decision}`;
    rows.push({ id, page, heading: under, quote, decisions, proofs, reason: proofs.length > 0 ? "" : how });
  }
  return rows;
}

export function piecesOf(markdown: string): Piece[] {
  const pieces: Piece[] = [];
  const lines = markdown.split("\n");
  let heading = "";
  for (const [at, line] of lines.entries()) {
    const title = HEADING.exec(line)?.[1];
    if (title !== undefined) heading = title;
    else if (line.startsWith("|")) {
      if (!DIVIDER.test(line) && !DIVIDER.test(lines[at + 1] ?? ""))
        pieces.push({ heading, text: line.slice(1, -1).trim() });
    } else if (line.trim() !== "") pieces.push({ heading, text: line.replace(/^(?:- |\d+\. )/, "").trim() });
  }
  return pieces;
}

export function decisionsOf(markdown: string): Piece[] {
  return markdown
    .split("\n")
    .map(cellsOf)
    .filter(([number = ""]) => /^\d+$/.test(number))
    .map(([number, , text = ""]) => ({ heading: `Decision ${number}`, text }));
}

export type Quoted = {
  faults: string[];
  left: string[];
};

export function compareQuotes(pieces: Piece[], rows: Row[]): Quoted {
  const faults: string[] = [];
  const left = pieces.map(({ text }) => text);
  for (const { id, heading, quote } of rows) {
    let found = false;
    for (const [at, piece] of pieces.entries()) {
      const from = quote === "" || piece.heading !== heading ? -1 : piece.text.indexOf(quote);
      if (from < 0) continue;
      found = true;
      const before = left[at] ?? "";
      left[at] = before.slice(0, from) + " ".repeat(quote.length) + before.slice(from + quote.length);
    }
    if (!found) faults.push(`${id}: «${quote}» does not stand under «${heading}»`);
  }
  return { faults, left };
}

export const unquotedWords = (pieces: Piece[], { left }: Quoted): string[] =>
  pieces.flatMap(({ heading }, at) => {
    const words = (left[at] ?? "").trim();
    return /[\p{L}\p{N}]/u.test(words) ? [`no row quotes «${words}» under «${heading}»`] : [];
  });

export function rowErrors(rows: Row[]): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const { id, page, proofs, reason } of rows) {
    if (seen.has(id)) faults.push(`${id} stands twice`);
    seen.add(id);
    if (page === "not-checkable" ? reason.length < 20 : proofs.length === 0) faults.push(`${id} is empty`);
  }
  return faults;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export const namePattern = (name: string) => new RegExp(`^${name.split("…").map(escaped).join(".+")}$`, "s");

const PLACES = /%[sjdifo]|\\\$[\w.]+|\\\$\\\{[^}]*\\\}/g;

const textsOf = (source: string) =>
  source
    .split("\n")
    .flatMap((line) =>
      Array.from(line.matchAll(/(["'`])((?:\\.|(?!\1)[^\\])*)\1/g), ([, , text = ""]) => text),
    )
    .map((text) => text.replaceAll(/\\(["'`])/g, "$1"));

/** Whether each part of the name stands in the test file; a table of cases fills the gaps. */
export function isWritten(name: string, source: string): boolean {
  const texts = textsOf(source);
  return name.split(" > ").every((part) => {
    const wanted = namePattern(part);
    return texts.some((text) => {
      if (wanted.test(text)) return true;
      const gaps = escaped(text).replaceAll(PLACES, ".+");
      if (gaps === escaped(text) || !new RegExp(`^${gaps}$`, "s").test(part)) return false;
      // A name of gaps only matches anything, so a word of the case itself must stand in the file.
      return /[\p{L}\p{N}]/u.test(gaps) || texts.some((word) => word.length >= 3 && part.includes(word));
    });
  });
}

export const FOLDER = path.join(import.meta.dirname, "..", "docs");

export function allRows(): Row[] {
  const folder = path.join(FOLDER, "conformance");
  return fs
    .readdirSync(folder)
    .toSorted()
    .flatMap((file) =>
      readRows(path.basename(file, ".md"), fs.readFileSync(path.join(folder, file), "utf8")),
    );
}
