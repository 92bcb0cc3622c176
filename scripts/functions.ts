// Checks that functions have at most 60 lines and that no literal is spread only to pack lines; shows files over 300. Lines of SQL texts and of a returned JSX
// element do not count.
import fs from "node:fs";
import path from "node:path";
import { parseAst } from "vite";

const FOLDERS = ["src", "simulators", "scripts", "bench"];
const LONGEST_FUNCTION = 60;
const LONG_FILE = 300;

type Node = { type: string; start: number; end: number; [key: string]: unknown };

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) yield* value.filter(isNode);
    else if (isNode(value)) yield value;
  }
}

const nameOf = (node: Node): string | undefined => {
  const named = [node.id, node.key].find(isNode);
  return typeof named?.name === "string" ? named.name : undefined;
};

const isMarkup = (node: unknown) => isNode(node) && node.type.startsWith("JSX");

export type LongFunction = { line: number; name: string; lines: number };

export function packedSpreads(file: string, source: string): number[] {
  const isPacked = ({ type, argument }: Node): boolean =>
    (type === "SpreadElement" || type === "JSXSpreadAttribute") &&
    isNode(argument) &&
    argument.type === "ObjectExpression";
  const found: number[] = [];
  const visit = (node: Node) => {
    if (isPacked(node)) found.push(source.slice(0, node.start).split("\n").length);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parsed(file, source));
  return found;
}

const parsed = (file: string, source: string): Node =>
  parseAst(source, { lang: file.endsWith("x") ? "tsx" : "ts" }) as unknown as Node;

export function longFunctions(file: string, source: string, longest = LONGEST_FUNCTION): LongFunction[] {
  const lineOf = (offset: number) => source.slice(0, offset).split("\n").length;
  const span = ({ start, end }: Node) => lineOf(end) - lineOf(start);
  const aside = (node: Node): number => {
    if (node.type === "TemplateLiteral" || (node.type === "ReturnStatement" && isMarkup(node.argument)))
      return span(node);
    return childrenOf(node).reduce((sum, child) => sum + aside(child), 0);
  };
  const found: LongFunction[] = [];
  const visit = (node: Node, above: string) => {
    const name = nameOf(node) ?? above;
    if (FUNCTIONS.has(node.type) && isNode(node.body)) {
      const lines = isMarkup(node.body) ? 1 : span(node) + 1 - aside(node.body);
      if (lines > longest) found.push({ line: lineOf(node.start), name, lines });
    }
    for (const child of childrenOf(node)) visit(child, name);
  };
  visit(parsed(file, source), "");
  return found;
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, "..");
  const files = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => path.posix.join(folder, file.split(path.sep).join("/"))),
  ).filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !file.includes("node_modules"));
  let errors = 0;
  const long: string[] = [];
  for (const file of files) {
    const source = fs.readFileSync(path.join(root, file), "utf8");
    const length = source.split("\n").length;
    if (length > LONG_FILE) long.push(`${file} ${length}`);
    for (const { line, name, lines } of longFunctions(file, source)) {
      errors += 1;
      process.stderr.write(`✗ ${file}:${line} ${name}: ${lines} lines, at most ${LONGEST_FUNCTION}\n`);
    }
    for (const line of packedSpreads(file, source)) {
      errors += 1;
      process.stderr.write(`✗ ${file}:${line}: a literal is spread in place; write its parts\n`);
    }
  }
  if (long.length > 0) process.stdout.write(`warning: over ${LONG_FILE} lines: ${long.join(", ")}\n`);
  process.stdout.write(
    `${files.length} files, ${errors} functions over ${LONGEST_FUNCTION} lines or packed literals\n`,
  );
  if (errors > 0) process.exitCode = 1;
}
