import fs from "node:fs";
import path from "node:path";
import { WALLS, type Wall } from "./wall-rules.ts";

/** Every file's imports, by path: other files by their path, `npm:…` and `node:…` for the rest. */
export type ImportGraph = Map<string, string[]>;

const IMPORT =
  /^\s*(?:import|export)\s[^"';]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm;

/** What a source text imports. We write relative paths with their ending, so no resolver is needed. */
export function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => {
    const target = from ?? bare ?? dynamic ?? "";
    if (target.startsWith(".")) return path.posix.join(path.posix.dirname(file), target.replace(/\?.*$/, ""));
    if (target.startsWith("node:")) return target;
    const [scope = "", name] = target.split("/");
    return `npm:${scope.startsWith("@") ? `${scope}/${name}` : scope}`;
  });
}

/** Every import that goes through a wall, in words. */
export function brokenWalls(graph: ImportGraph, walls: Wall[] = WALLS): string[] {
  const faults: string[] = [];
  for (const wall of walls) {
    for (const [file, imports] of graph) {
      const from = wall.from.exec(file);
      if (!from || wall.except?.test(file)) continue;
      // A wall with an `own` part stands between equals: inside its own part a file may go where it likes.
      const own = from.groups?.own === undefined ? null : from[0];
      for (const target of imports) {
        if (!wall.to.test(target) || (own !== null && target.startsWith(own))) continue;
        faults.push(`${file} → ${target}\n    ${wall.name}: ${wall.reason}`);
      }
    }
  }
  return faults;
}

/** Circles of imports, each told once, from its first file round to it again. */
export function cycles(graph: ImportGraph): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: string[]) => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      found.push([...trail.slice(at), file].join(" → "));
      return;
    }
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) if (graph.has(target)) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found.map(
    (circle) => `${circle}\n    no-cycles: Files that need each other are one file, or miss a third.`,
  );
}

/** The project's own files below these folders. */
export function readGraph(root: string, folders: string[]): ImportGraph {
  const graph: ImportGraph = new Map();
  for (const folder of folders) {
    const top = path.join(root, folder);
    if (!fs.existsSync(top)) continue;
    for (const entry of fs.readdirSync(top, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(ts|tsx|mjs)$/.test(entry.name)) continue;
      // What bench/peers has installed is not ours.
      if (entry.parentPath.includes("node_modules")) continue;
      const file = path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/");
      graph.set(file, importsOf(file, fs.readFileSync(path.join(root, file), "utf8")));
    }
  }
  return graph;
}

if (import.meta.main) {
  const graph = readGraph(path.join(import.meta.dirname, ".."), ["src", "tests", "bench", "scripts"]);
  const faults = [...brokenWalls(graph), ...cycles(graph)];
  for (const fault of faults) process.stderr.write(`✗ ${fault}\n`);
  process.stdout.write(`${graph.size} files, ${WALLS.length} walls, ${faults.length} faults\n`);
  if (faults.length > 0) process.exitCode = 1;
}
