// Checks that comments and names are plain English: no word of the list, no comment over 40 words.
import fs from "node:fs";
import path from "node:path";

const FOLDERS = ["src", "simulators", "tests", "bench", "scripts"];
const LONGEST_COMMENT = 40;
/** 60,000 for the code of November 2026, and no denser since. */
const WORDS_A_LINE = 0.27;

/** Words of a private dialect, and what says the same. */
const WORDS = new Map(
  Object.entries({
    told: "notified, known, reported",
    nobody: "no one, none",
    whoever: "the one who, a caller that",
    somebody: "someone, a person",
    anew: "again",
    deed: "submission, action",
    deeds: "submissions, actions",
    meanwhile: "at the same time, while",
    whom: "who",
    fault: "error, or failure for a delivery that failed",
    faults: "errors",
  }),
);

/** Lines that hold a word of the list and are right: names that are not ours, and stored codes that callers read. */
const RIGHT: { file: RegExp; line: RegExp; reason: string }[] = [
  { file: /^scripts\/language\.ts$/, line: /./, reason: "The list itself." },
  { file: /^tests\/platform\/language\.test\.ts$/, line: /./, reason: "Examples." },
  { file: /postgres-user\.ts$/, line: /"nobody"|«nobody»/, reason: "The name of a Unix user." },
  { file: /./, line: /"paired_anew"/, reason: "A stored code of deliveries, which callers of the API read." },
  {
    file: /^simulators\/|^tests\/faults\/|\.faults\.test\.ts$|fault-proxy/,
    line: /./,
    reason: "Fault injection.",
  },
  { file: /^src\/server\/transports\/.*\.test\.ts$/, line: /./, reason: "Faults of the simulators." },
  {
    file: /./,
    line: /fault run|fault test|[fF]ault-?[pP]roxy|\.faults\b|\/faults\b|"faults"|faults: \{ file/,
    reason: "Fault injection.",
  },
  { file: /./, line: /recado_database_faults_total/, reason: "A public metric." },
  { file: /\.css$/, line: /fault/, reason: "A class of CSS." },
  {
    file: /^src\/web\/|unreadable/,
    line: /tyles\.\w*[fF]ault|data-ui="fault"|data-ui~=fault/,
    reason: "Classes of CSS.",
  },
  {
    file: /\/contacts\/|contract\/contacts\.ts|export-parts|webhook-receiver|tests\/(demo|limits|component)|imports-ended|backup\.test/,
    line: /\bfault\b|fault_details/,
    reason: "A field of the API, columns and stored bodies.",
  },
  { file: /emails-en\.ts$/, line: /a fault of the server/, reason: "A text of the product." },
  { file: /load\.test\.ts$/, line: /insert into deed /, reason: "A table of the schema before 0090." },
];

const PIECES = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;

/** The words of the list in a line, also as pieces of `camelCase` and `snake_case` names. */
export function flaggedWords(line: string): string[] {
  return (line.match(PIECES) ?? []).map((piece) => piece.toLowerCase()).filter((piece) => WORDS.has(piece));
}

type Comment = { line: number; text: string };

/** Comments by their first line: groups of `//` lines of one indent, and blocks. */
export function commentsOf(source: string): Comment[] {
  const found: Comment[] = [];
  const lines = source.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    const slashes = /^(\s*\/\/)(.*)$/.exec(lines[at] ?? "");
    const opened = /^\s*\{?\/\*+(.*)$/.exec(lines[at] ?? "");
    if (slashes) {
      const [, mark = "", first = ""] = slashes;
      const texts = [first];
      while (lines[at + 1]?.startsWith(mark)) texts.push((lines[++at] ?? "").slice(mark.length));
      found.push({ line, text: texts.join(" ") });
    } else if (opened) {
      let text = opened[1] ?? "";
      while (!text.includes("*/") && at + 1 < lines.length)
        text += ` ${(lines[++at] ?? "").replace(/^\s*\*(?!\/)/, "")}`;
      found.push({ line, text: text.replace(/\*\/.*$/s, "") });
    }
  }
  return found;
}

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length;

export function languageErrors(file: string, source: string): { errors: string[]; words: number } {
  const errors: string[] = [];
  for (const [at, line] of source.split("\n").entries()) {
    if (RIGHT.some((right) => right.file.test(file) && right.line.test(line))) continue;
    for (const word of flaggedWords(line)) errors.push(`${file}:${at + 1} «${word}»: say ${WORDS.get(word)}`);
  }
  let words = 0;
  for (const { line, text } of commentsOf(source)) {
    const count = wordsIn(text);
    words += count;
    if (count > LONGEST_COMMENT)
      errors.push(`${file}:${line} a comment of ${count} words: say it in ${LONGEST_COMMENT}, or in docs/`);
  }
  return { errors, words };
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, "..");
  const files = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => path.posix.join(folder, file.split(path.sep).join("/"))),
  ).filter((file) => /\.(tsx?|m[jt]s|css)$/.test(file) && !file.includes("node_modules"));
  const sources = files.map((file) => fs.readFileSync(path.join(root, file), "utf8"));
  const results = files.map((file, at) => languageErrors(file, sources[at] ?? ""));
  const lines = sources.reduce((sum, source) => sum + source.split("\n").length, 0);
  const most = Math.floor(lines * WORDS_A_LINE);
  const errors = results.flatMap((result) => result.errors);
  const words = results.reduce((sum, result) => sum + result.words, 0);
  if (words > most) errors.push(`${words} words of comments in ${lines} lines: at most ${most}`);
  for (const error of errors) process.stderr.write(`✗ ${error}\n`);
  process.stdout.write(
    `${files.length} files, ${words} words of comments, ${errors.length} errors of language\n`,
  );
  if (errors.length > 0) process.exitCode = 1;
}
