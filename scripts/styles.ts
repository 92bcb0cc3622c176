import fs from "node:fs";
import path from "node:path";
import { parseSync } from "vite";
import { inCode } from "./css-modules.ts";

/** `npm run check` fails on a class that is misspelt, unused, or written as text. */

const MODULE = ".module.css";
const RULE = /^([^{}@]*)\{/gm;
const KEYFRAMES = /@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g;
const CLASS = /\.(-?[a-zA-Z][\w-]*)/g;
/** A class at a selector's start, with more behind it; `.csv` alone is a file's ending. */
const SELECTOR = /^\.[a-z][\w-]* \S/;
const PART = /\[data-ui~="?([\w-]+)"?\]/g;

type Node = { type: string; start: number; [key: string]: unknown };

export function checkStyles(files: ReadonlyMap<string, string>): string[] {
  const styles = [...files].filter(([file]) => file.endsWith(MODULE));
  const defined = new Map(styles.map(([file, text]) => [file, classesOf(text)]));
  const used = new Map(styles.map(([file]) => [file, new Set<string>()]));
  const drawn = new Set<string>();
  const errors: string[] = [];
  for (const [file, text] of files)
    if (/\.[jt]sx?$/.test(file)) errors.push(...checkCode(file, text, defined, used, drawn));
  for (const [file, classes] of defined)
    for (const [name, line] of classes)
      if (!used.get(file)?.has(name)) errors.push(`${file}:${line} nothing uses .${name}`);
  return [...errors, ...doubleNames(defined.keys()), ...missingParts(files, drawn)];
}

function classesOf(text: string): Map<string, number> {
  const classes = new Map<string, number>();
  const plain = text.replace(/\/\*.*?\*\//gs, blank).replace(KEYFRAMES, blank);
  for (const { 1: selector = "", index } of plain.matchAll(RULE))
    for (const { 1: name = "", index: inside } of selector.replace(/"[^"]*"/g, blank).matchAll(CLASS))
      if (!classes.has(inCode(name))) classes.set(inCode(name), lineAt(text, index + inside));
  return classes;
}

type Names = Map<string, Map<string, number>>;

function checkCode(
  file: string,
  text: string,
  defined: Names,
  used: Map<string, Set<string>>,
  drawn: Set<string>,
): string[] {
  const errors: string[] = [];
  const modules = new Map<string, string>();
  const say = (node: Node, words: string) => errors.push(`${file}:${lineAt(text, node.start)} ${words}`);
  visit(parseSync(file, text).program as unknown as Node, (node) => {
    if (node.type === "ImportDeclaration") readImport(node, file, defined, modules, say);
    if (node.type === "JSXAttribute") readAttribute(node, drawn, say);
    if (file.startsWith("src/") && node.type === "Literal" && SELECTOR.test(String(node.value)))
      say(node, "find a part by data-ui: its class has another name in the page");
    if (node.type !== "MemberExpression") return;
    const module = modules.get(String((node.object as Node).name));
    if (module === undefined) return;
    if (node.computed) return say(node, `name each class of ${path.basename(module)}`);
    const name = String((node.property as Node).name);
    if (!defined.get(module)?.has(name)) say(node, `${path.basename(module)} has no .${name}`);
    used.get(module)?.add(name);
  });
  return errors;
}

type Say = (node: Node, words: string) => void;

function readImport(node: Node, file: string, defined: Names, modules: Map<string, string>, say: Say): void {
  const from = String((node.source as Node).value);
  if (/tailwind/.test(from)) say(node, "Tailwind is not used here");
  if (!from.endsWith(MODULE)) return;
  const module = path.join(path.dirname(file), from);
  if (!defined.has(module)) say(node, `there is no ${from}`);
  for (const { local } of node.specifiers as { local: Node }[]) modules.set(String(local.name), module);
}

function readAttribute(node: Node, drawn: Set<string>, say: Say): void {
  const name = String((node.name as Node).name);
  if (name === "data-ui") visit(node, (each) => textsOf(each).forEach((part) => void drawn.add(part)));
  if (!/^(className|fieldClass)$/.test(name)) return;
  for (const text of classTexts(node.value as Node)) say(text, "a class is named by its module, not by text");
}

/** Texts that become a class; a text that a condition compares does not. */
function classTexts(node: Node | null): Node[] {
  if (node === null) return [];
  if (node.type === "TemplateLiteral") return [node];
  if (node.type === "Literal") return textsOf(node).length > 0 ? [node] : [];
  if (node.type === "ConditionalExpression") return [node.consequent, node.alternate].flatMap(asTexts);
  if (node.type === "LogicalExpression") return asTexts(node.right);
  if (node.type === "CallExpression") return (node.arguments as Node[]).flatMap(classTexts);
  return node.type === "JSXExpressionContainer" ? asTexts(node.expression) : [];
}
const asTexts = (node: unknown) => classTexts(node as Node);

const textsOf = ({ type, value }: Node) =>
  type === "Literal" && typeof value === "string" ? value.split(/\s+/).filter(Boolean) : [];

/** Their classes would have one name in the page. */
function doubleNames(modules: Iterable<string>): string[] {
  const known = new Map<string, string>();
  return [...modules].flatMap((file) => {
    const other = known.get(path.basename(file));
    known.set(path.basename(file), file);
    return other ? [`${file}:1 ${other} has the same name`] : [];
  });
}

/** A style may reach a part of another component by its `data-ui` alone. */
function missingParts(files: ReadonlyMap<string, string>, drawn: ReadonlySet<string>): string[] {
  return [...files].flatMap(([file, text]) =>
    [...text.matchAll(PART)]
      .filter(([, part = ""]) => !drawn.has(part))
      .map(({ 1: part, index }) => `${file}:${lineAt(text, index)} nothing draws data-ui="${part}"`),
  );
}

function visit(node: unknown, call: (node: Node) => void): void {
  if (Array.isArray(node)) for (const each of node) visit(each, call);
  else if (node !== null && typeof node === "object") {
    if ("type" in node) call(node as Node);
    for (const each of Object.values(node)) visit(each, call);
  }
}

const blank = (text: string) => text.replace(/[^\n]/g, " ");
const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

if (import.meta.main) {
  const files = new Map<string, string>();
  for (const folder of ["src/web", "tests/e2e", "bench/front-skeleton"])
    for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }))
      if (/\.(tsx?|css)$/.test(name) && !name.endsWith(".test.ts"))
        files.set(path.join(folder, name), fs.readFileSync(path.join(folder, name), "utf8"));
  const errors = checkStyles(files);
  for (const error of errors) process.stderr.write(`${error}\n`);
  const modules = [...files.keys()].filter((file) => file.endsWith(MODULE));
  const lines = [...files]
    .filter(([file]) => file.endsWith(".css"))
    .map(([, text]) => text.split("\n").length - 1);
  process.stdout.write(
    `${modules.length} CSS modules, ${lines.reduce((sum, each) => sum + each, 0)} lines of CSS, ${errors.length} errors\n`,
  );
  if (errors.length > 0) process.exitCode = 1;
}
