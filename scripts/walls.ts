import fs from "node:fs";
import path from "node:path";
import { DOOR, LATER, START, WALLS, type Wall } from "./wall-rules.ts";

export type ImportGraph = Map<string, string[]>;

const IMPORT =
  /^\s*(?:import|export)\s[^"';]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm;

const OF_TYPES = /^\s*(?:import|export)\s+type\s/;

/**
 * Relative paths carry their ending, so no resolver is needed. `atOnce`: static imports only, without types
 * and `import()`.
 */
export function importsOf(file: string, text: string, { atOnce = false } = {}): string[] {
  const found = [...text.matchAll(IMPORT)].filter(
    ([whole, , , dynamic]) => !atOnce || (dynamic === undefined && !OF_TYPES.test(whole)),
  );
  return found.map(([, from, bare, dynamic]) => {
    const target = from ?? bare ?? dynamic ?? "";
    if (target.startsWith(".")) return path.posix.join(path.posix.dirname(file), target.replace(/\?.*$/, ""));
    if (target.startsWith("node:")) return target;
    const [scope = "", name] = target.split("/");
    return `npm:${scope.startsWith("@") ? `${scope}/${name}` : scope}`;
  });
}

export function brokenWalls(graph: ImportGraph, walls: Wall[] = WALLS): string[] {
  const errors: string[] = [];
  for (const wall of walls) {
    for (const [file, imports] of graph) {
      const from = wall.from.exec(file);
      if (!from || wall.except?.test(file)) continue;
      // A wall with an `own` part does not apply within one part.
      const own = from.groups?.own === undefined ? null : from[0];
      for (const target of imports) {
        if (!wall.to.test(target) || (own !== null && target.startsWith(own))) continue;
        errors.push(`${file} → ${target}\n    ${wall.name}: ${wall.reason}`);
      }
    }
  }
  return errors;
}

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

const TEST = /\.test\.tsx?$/;
/** Folders whose subfolders are rooms of their own. */
const HALLS = /^src\/(server\/(sending|transports)|web\/pages)\//;

/** The room of a file: a folder of `src/server`, `src/web` or `simulators`, or the file itself where it lies loose in one of them. */
export function roomOf(file: string): string | null {
  if (!/^(src\/(server|web)|simulators)\//.test(file) || TEST.test(file)) return null;
  const depth = HALLS.test(file) ? 4 : file.startsWith("simulators/") ? 2 : 3;
  return file.split("/").slice(0, depth).join("/");
}

/** The same graph with a node for each room. */
export function roomGraph(graph: ImportGraph): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const [file, imports] of graph) {
    const from = roomOf(file);
    if (from === null) continue;
    const out = rooms.get(from) ?? new Set();
    rooms.set(from, out);
    for (const target of imports) {
      const to = graph.has(target) ? roomOf(target) : null;
      if (to !== null && to !== from) out.add(to);
    }
  }
  return rooms;
}

/** Circles of rooms, types included, each as the list of its rooms. */
export function roomCircles(graph: ImportGraph): string[] {
  const rooms = roomGraph(graph);
  const reach = (start: string) => {
    const seen = new Set<string>();
    const queue = [...(rooms.get(start) ?? [])];
    for (let room = queue.pop(); room !== undefined; room = queue.pop()) {
      if (seen.has(room)) continue;
      seen.add(room);
      queue.push(...(rooms.get(room) ?? []));
    }
    return seen;
  };
  const reached = new Map([...rooms.keys()].map((room) => [room, reach(room)]));
  const circles = new Set<string>();
  for (const [room, seen] of reached)
    if (seen.has(room))
      circles.add(
        [...seen]
          .filter((other) => reached.get(other)?.has(room))
          .sort()
          .join(" ↔ "),
      );
  return [...circles].map(
    (circle) => `${circle}\n    no-room-circles: A room stands above all that it imports.`,
  );
}

export function exportedFunctions(text: string): string[] {
  const functions = text.matchAll(/^export (?:async )?function\*? (\w+)/gm);
  const values = text.matchAll(/^export (?:const|let|class) (\w+)/gm);
  return [...functions, ...values].map(([, name]) => name ?? "");
}

export function wideDoor(text: string, { file, most } = DOOR): string[] {
  const { length } = exportedFunctions(text);
  return length <= most
    ? []
    : [`${file} exports ${length} functions\n    sending-door: ${most} at most, or it is no door.`];
}

/** Files that lie loose in a root: only folders stand there. */
export function looseFiles(graph: ImportGraph): string[] {
  return [...graph.keys()]
    .filter((file) => /^src\/(server|web)\/[^/]+$/.test(file))
    .map((file) => `${file}\n    no-loose-files: Each file lies in the room whose business it is.`);
}

/**
 * Shortest import path from the start to each module that must load later; needs a graph made with `atOnce`.
 */
export function loadedTooSoon(graph: ImportGraph, start = START, later = LATER): string[] {
  if (!graph.has(start)) return [`${start} is not there\n    light-start: Nothing was looked at.`];
  const ways = new Map([[start, start]]);
  const errors: string[] = [];
  for (const [file, way] of ways) {
    for (const target of graph.get(file) ?? []) {
      if (ways.has(target)) continue;
      ways.set(target, `${way} → ${target}`);
      if (later.to.test(target)) errors.push(`${way} → ${target}\n    ${later.name}: ${later.reason}`);
    }
  }
  return errors;
}

export function readGraph(root: string, folders: string[], options?: { atOnce: boolean }): ImportGraph {
  const graph: ImportGraph = new Map();
  for (const folder of folders) {
    const top = path.join(root, folder);
    if (!fs.existsSync(top)) continue;
    for (const entry of fs.readdirSync(top, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(ts|tsx|mjs)$/.test(entry.name)) continue;
      if (entry.parentPath.includes("node_modules")) continue;
      const file = path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/");
      graph.set(file, importsOf(file, fs.readFileSync(path.join(root, file), "utf8"), options));
    }
  }
  return graph;
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, "..");
  const graph = readGraph(root, ["src", "simulators", "tests", "bench", "scripts"]);
  const loaded = readGraph(root, ["src"], { atOnce: true });
  const circles = roomCircles(graph);
  const door = fs.readFileSync(path.join(root, DOOR.file), "utf8");
  const errors = [
    ...brokenWalls(graph),
    ...wideDoor(door),
    ...cycles(graph),
    ...circles,
    ...looseFiles(graph),
    ...loadedTooSoon(loaded),
  ];
  for (const error of errors) process.stderr.write(`✗ ${error}\n`);
  const rooms = roomGraph(graph);
  const arrows = [...rooms.values()].reduce((sum, targets) => sum + targets.size, 0);
  process.stdout.write(
    `${graph.size} files, ${WALLS.length} walls, ${rooms.size} rooms, ${arrows} arrows, ${circles.length} circles, ${exportedFunctions(door).length} functions of sending.ts, ${errors.length} errors\n`,
  );
  if (errors.length > 0) process.exitCode = 1;
}
