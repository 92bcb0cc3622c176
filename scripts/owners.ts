import fs from "node:fs";
import path from "node:path";
import { BY_NAME, JOINS, OWNERS, SHARED, type Use } from "./owner-rules.ts";

const JOINS_MOST = 15;
const ROOT = "src/server/";

export type TableUse = { file: string; writes: string[]; reads: string[]; byName: boolean };

export type OwnerRules = {
  owners: Readonly<Record<string, string>>;
  shared: readonly Use[];
  byName: readonly { file: string }[];
  joins: readonly Use[];
};

const RULES: OwnerRules = { owners: OWNERS, shared: SHARED, byName: BY_NAME, joins: JOINS };

const COMMENTS = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm;
const WRITE =
  /\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?|merge\s+into)\s+(?:only\s+)?(\w+)/gi;
/** Also the later tables of `from a, b`. */
const READ = /\b(?:from|join|using)\s+((?:\w+(?:\s+(?:as\s+)?\w+)?\s*,\s*)*\w+)/gi;
const NAMED_BY_VALUE = /\bsql\.table\(/;

export function tablesOf(schema: string): string[] {
  return [...schema.matchAll(/^create table (\w+)/gm)].map(([, name = ""]) => name);
}

/** `tables`: those of the schema; other words after `from` are no tables. */
export function usesOf(file: string, source: string, tables: ReadonlySet<string>): TableUse {
  const text = source.replace(COMMENTS, " ");
  const known = (names: string[]) => [...new Set(names)].filter((name) => tables.has(name));
  return {
    file,
    writes: known([...text.matchAll(WRITE)].map(([, name = ""]) => name)),
    reads: known([...text.matchAll(READ)].flatMap(([, list = ""]) => firstWords(list))),
    byName: NAMED_BY_VALUE.test(text),
  };
}

const firstWords = (list: string) => list.split(",").map((part) => part.trim().split(/\s/)[0] ?? "");

const folderOf = (file: string) => file.split("/")[0] ?? "";
const pair = (folder: string, table: string) => `${folder} ${table}`;

/** Reads outside the owner's folder that no join explains, as `folder table`. */
function strayReads(uses: readonly TableUse[], rules: OwnerRules): Map<string, string[]> {
  const explained = new Set(
    [...rules.shared, ...rules.joins].map(({ folder, table }) => pair(folder, table)),
  );
  const found = new Map<string, string[]>();
  for (const { file, reads } of uses)
    for (const table of reads) {
      const key = pair(folderOf(file), table);
      if (rules.owners[table] === folderOf(file) || explained.has(key)) continue;
      found.set(key, [...(found.get(key) ?? []), file]);
    }
  return found;
}

export function ownerErrors(
  tables: ReadonlySet<string>,
  uses: readonly TableUse[],
  rules: OwnerRules = RULES,
): string[] {
  return [
    ...listErrors(tables, rules),
    ...writeErrors(uses, rules),
    ...readErrors(uses, rules),
    ...unusedEntries(uses, rules),
  ];
}

function listErrors(tables: ReadonlySet<string>, { owners, joins }: OwnerRules): string[] {
  return [
    ...[...tables].filter((table) => !owners[table]).map((table) => `${table}: no owner in OWNERS`),
    ...Object.keys(owners)
      .filter((table) => !tables.has(table))
      .map((table) => `${table}: in OWNERS, but not in the schema`),
    ...(joins.length > JOINS_MOST ? [`JOINS has ${joins.length} entries, more than ${JOINS_MOST}`] : []),
  ];
}

function writeErrors(uses: readonly TableUse[], { owners, shared, byName }: OwnerRules): string[] {
  const allowed = new Set(shared.map(({ folder, table }) => pair(folder, table)));
  return uses.flatMap(({ file, writes, byName: dynamic }) => [
    ...writes
      .filter((table) => owners[table] !== folderOf(file) && !allowed.has(pair(folderOf(file), table)))
      .map((table) => `${file} writes ${table}: call a function of ${owners[table]}`),
    ...(dynamic && !byName.some((one) => one.file === file)
      ? [`${file} names a table by a variable and is not in BY_NAME`]
      : []),
  ]);
}

function readErrors(uses: readonly TableUse[], rules: OwnerRules): string[] {
  return [...strayReads(uses, rules)].map(([key, files]) => {
    const [, table = ""] = key.split(" ");
    return `${files.join(", ")} reads ${table}: call a function of ${rules.owners[table]}`;
  });
}

/** Lists can only shrink: an entry without a use fails. */
function unusedEntries(uses: readonly TableUse[], rules: OwnerRules): string[] {
  const used = new Set(
    uses.flatMap(({ file, writes, reads }) =>
      [...writes, ...reads].map((table) => pair(folderOf(file), table)),
    ),
  );
  const dynamic = new Set(uses.filter(({ byName }) => byName).map(({ file }) => file));
  return [
    ...[...rules.joins, ...rules.shared]
      .filter(({ folder, table }) => !used.has(pair(folder, table)))
      .map(({ folder, table }) => `JOINS or SHARED: «${folder} ${table}» is no longer needed`),
    ...rules.byName
      .filter(({ file }) => !dynamic.has(file))
      .map(({ file }) => `BY_NAME: «${file}» is no longer needed`),
  ];
}

function readUses(root: string, tables: ReadonlySet<string>): TableUse[] {
  const top = path.join(root, ROOT);
  return fs
    .readdirSync(top, { recursive: true, encoding: "utf8" })
    .map((name) => name.split(path.sep).join("/"))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => usesOf(name, fs.readFileSync(path.join(top, name), "utf8"), tables));
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, "..");
  const tables = new Set(tablesOf(fs.readFileSync(path.join(root, "db/schema.sql"), "utf8")));
  const uses = readUses(root, tables);
  const errors = ownerErrors(tables, uses);
  for (const error of errors) process.stderr.write(`✗ ${error}\n`);
  process.stdout.write(
    `${tables.size} tables, ${SHARED.length} with a second writer, ${JOINS.length} of ${JOINS_MOST} joins, ${errors.length} errors\n`,
  );
  if (errors.length > 0) process.exitCode = 1;
}
