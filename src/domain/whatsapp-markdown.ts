/** Single `*` and `_` stay, as WhatsApp uses them too. No word is lost; linear time. */
export function whatsappFromMarkdown(text: string): string {
  const lines = text.split("\n");
  const fences = fencesOf(lines);
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = fences.get(at);
    if (end !== undefined) {
      out.push("```", ...lines.slice(at + 1, end), "```");
      at = end + 1;
      continue;
    }
    const table = tableAt(lines, at);
    if (table) {
      out.push(...table.lines);
      at += table.taken;
      continue;
    }
    if (RULE.test(lines[at] ?? "")) {
      at = afterRule(lines, at);
      if (out.length > 0 && out.at(-1) !== "") out.push("");
      continue;
    }
    out.push(...blockLine(lines[at] ?? ""));
    at += 1;
  }
  return out.join("\n");
}

/** A rule becomes one empty line. */
function afterRule(lines: readonly string[], rule: number): number {
  let at = rule + 1;
  while (at < lines.length && lines[at] === "") at += 1;
  return at;
}

const FENCE = /^ {0,3}(`{3}|~{3})[`~]*[ \t]*([\w+#.-]{0,40})[ \t]*$/;

function fencesOf(lines: readonly string[]): Map<number, number> {
  const fences = new Map<number, number>();
  let open: { at: number; sign: string } | null = null;
  for (const [at, line] of lines.entries()) {
    const [, sign = "", language] = FENCE.exec(line) ?? [];
    if (sign === "") continue;
    if (open === null) open = { at, sign };
    else if (sign === open.sign && language === "") {
      fences.set(open.at, at);
      open = null;
    }
  }
  return fences;
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(?=\S)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const PLUS_ITEM = /^([ \t]*)\+(?=[ \t]+\S)/;

function blockLine(line: string): string[] {
  const heading = HEADING.exec(line)?.[0];
  if (heading !== undefined) {
    const words = inline(line.slice(heading.length).replace(/[ \t]#{1,6}[ \t]*$/, ""), "");
    return [bold(words.trim())];
  }
  return inline(line.replace(PLUS_ITEM, "$1-"), "*").split("\n");
}

const bold = (words: string): string => (words === "" || words.includes("*") ? words : `*${words}*`);

function inline(line: string, strong: "*" | ""): string {
  const escaped = line
    .replace(/<br ?\/?>/gi, "\n")
    .replace(/\\([*~`#$|[\]])/g, "$1")
    .replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, "_");
  return emphasis(links(escaped), strong);
}

const LINK =
  /!?\[([^[\]\n]{0,500})\]\(<?([^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,500}){0,5})>?(?:[ \t]+"([^"\n]{0,500})")?\)/g;
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:|www\.|[\w-]{1,63}\.[\w-])/i;

function links(line: string): string {
  return line
    .replace(LINK, (all, label: string, target: string, title: string | undefined) => {
      if (!ADDRESS.test(target)) return all;
      const address = target.replace(/^(?:mailto|tel):/i, "");
      const words = [label.trim(), title?.trim() && `(${title.trim()})`].filter(Boolean).join(" ");
      if (words === "" || isSame(words, address)) return address;
      return /[:?!]$/.test(words) ? `${words} ${address}` : `${words}: ${address}`;
    })
    .replace(/<(https?:\/\/[^\s<>]{1,2000})>/gi, "$1");
}

const bare = (address: string) => address.replace(/^https?:\/\//i, "").replace(/\/$/, "");
const isSame = (words: string, address: string) => bare(words.replaceAll("**", "")) === bare(address);

const TOKEN = /`[^`\n]*`|https?:\/\/(?:(?!\*\*|~~)[^\s<>])+|\*{2,3}|__|~~/g;
const WORD = /[\p{L}\p{N}]/u;

type Token = { at: number; sign: string };

function emphasis(line: string, strong: "*" | ""): string {
  const signs: Readonly<Record<string, readonly [string, string]>> = {
    "**": [strong, strong],
    __: [strong, strong],
    "***": [`${strong}_`, `_${strong}`],
    "~~": ["~", "~"],
  };
  const edits: { at: number; length: number; to: string }[] = [];
  const open = new Map<string, Token>();
  for (const { index: at, 0: sign } of line.matchAll(TOKEN)) {
    const marks = signs[sign];
    if (!marks) continue;
    const begun = open.get(sign);
    if (begun && /\S/.test(line[at - 1] ?? " ") && at > begun.at + sign.length) {
      const [before, after] = drawable(line, begun, { at, sign }, marks);
      edits.push({ at: begun.at, length: sign.length, to: before }, { at, length: sign.length, to: after });
      open.delete(sign);
    } else if (/\S/.test(line[at + sign.length] ?? " ")) open.set(sign, { at, sign });
  }
  return applied(line, edits);
}

/** WhatsApp shows marks inside a word as plain characters. */
function drawable(
  line: string,
  from: Token,
  to: Token,
  [before, after]: readonly [string, string],
): readonly [string, string] {
  const isWord = (sign: string | undefined) => sign !== undefined && WORD.test(sign);
  // `2**3**4` is a calculation and would change.
  if (/\d/.test(line[from.at - 1] ?? "")) return [from.sign, to.sign];
  if (isWord(line[from.at - 1])) return ["", ""];
  if (!isWord(line[to.at + to.sign.length])) return [before, after];
  return isWord(line[to.at - 1]) ? ["", ""] : [before, `${after} `];
}

function applied(line: string, edits: { at: number; length: number; to: string }[]): string {
  let out = "";
  let from = 0;
  for (const { at, length, to } of edits.toSorted((a, b) => a.at - b.at)) {
    out += line.slice(from, at) + to;
    from = at + length;
  }
  return out + line.slice(from);
}

const DELIMITER = /^[ \t]*:?-+:?[ \t]*$/;

/** Two columns become one line per row, more one line per cell. */
function tableAt(lines: readonly string[], at: number): { lines: string[]; taken: number } | null {
  const [head = "", rule = ""] = [lines[at], lines[at + 1]];
  if (!head.includes("|") || !rule.includes("-")) return null;
  const headers = cellsOf(head);
  const delimiters = rule.includes("|") ? cellsOf(rule) : [rule];
  if (delimiters.length !== headers.length || !delimiters.every((cell) => DELIMITER.test(cell))) return null;
  const rows: string[][] = [];
  for (let next = at + 2; (lines[next] ?? "").includes("|"); next++) rows.push(cellsOf(lines[next] ?? ""));
  const [first = "", second = ""] = headers;
  const plain = headers.length <= 2;
  const title = plain || rows.length === 0 ? [bold(headers.filter(Boolean).join(": "))] : [];
  const body = rows.flatMap((row) =>
    plain ? [`- ${row.filter(Boolean).join(": ")}`] : rowLines(row, [first, second, ...headers.slice(2)]),
  );
  return {
    lines: [...title, ...body].filter((line) => line !== "" && line !== "- "),
    taken: rows.length + 2,
  };
}

function rowLines([name = "", ...values]: readonly string[], [first = "", ...headers]: string[]): string[] {
  const title = [first, name].filter(Boolean).join(": ");
  return [
    bold(title),
    ...values.flatMap((value, at) =>
      value === "" ? [] : `- ${[headers[at] ?? "", value].filter(Boolean).join(": ")}`,
    ),
  ];
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => inline(cell, "").replaceAll("\n", " ").trim());
