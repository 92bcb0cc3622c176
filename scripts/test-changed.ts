import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type ImportGraph, readGraph } from "./walls.ts";

const FOLDERS = ["src", "simulators", "tests", "bench", "scripts"];
const TEST = /\.test\.tsx?$/;
const COMPONENT = /^tests\/component\/.*\.test\.tsx$/;
const SCREEN = /^src\/web\/pages\/[^/]+\//;

const git = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
};

/** Where this branch left `main`; on `main` itself only what is not committed counts. */
function startOfBranch(): string {
  const { stdout } = spawnSync("git", ["merge-base", "HEAD", "main"], { encoding: "utf8" });
  return stdout.trim() || "HEAD";
}

function changedFiles(since: string): string[] {
  const changed = git("diff", "--name-only", "--diff-filter=d", since).split("\n");
  const untracked = git("ls-files", "--others", "--exclude-standard").split("\n");
  return [...changed, ...untracked].filter((file) => file !== "");
}

export function addressesOf(router: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let address = "";
  for (const [, path, screen] of router.matchAll(/\bpath: "([^"$]+)|import\("\.\.\/(pages\/[^/]+\/)/g)) {
    if (path !== undefined) address = path;
    else found.set(`src/web/${screen}`, [...(found.get(`src/web/${screen}`) ?? []), address]);
  }
  return found;
}

const opens = (text: string, address: string): boolean =>
  new RegExp(`["'\`]${address}${address.length > 1 && address.endsWith("/") ? "" : "[\"'`?#]"}`).test(text);

export type Related = { tests: string[]; component: string[] };

/**
 * Not all tests that reach a changed file: the app imports everything. A changed screen adds the component
 * tests that open its address.
 */
export function relatedTests(
  graph: ImportGraph,
  changed: readonly string[],
  { addresses, read }: { addresses: ReadonlyMap<string, string[]>; read(file: string): string },
): Related {
  const sources = new Set(changed.filter((file) => graph.has(file)));
  const folders = new Set([...sources].filter((file) => file.startsWith("src/")).map(path.posix.dirname));
  const importsChanged = (file: string) => graph.get(file)?.some((target) => sources.has(target)) ?? false;
  const screens = new Set<string>();
  for (const file of graph.keys()) {
    const [screen] = SCREEN.exec(file) ?? [];
    if (screen !== undefined && !TEST.test(file) && (sources.has(file) || importsChanged(file)))
      screens.add(screen);
  }
  const shown = [...screens].flatMap((screen) => addresses.get(screen) ?? []);
  const chosen = [...graph.keys()].filter(
    (file) =>
      TEST.test(file) &&
      (sources.has(file) ||
        importsChanged(file) ||
        folders.has(path.posix.dirname(file)) ||
        (COMPONENT.test(file) && shown.some((address) => opens(read(file), address)))),
  );
  return {
    tests: chosen.filter((file) => !COMPONENT.test(file)),
    component: chosen.filter((file) => COMPONENT.test(file)),
  };
}

function step(name: string, args: string[]): void {
  const start = performance.now();
  process.stdout.write(`\n▶ ${name}\n`);
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  process.stdout.write(`✓ ${name} ${((performance.now() - start) / 1_000).toFixed(1)} s\n`);
}

function main([since = startOfBranch()]: string[]): void {
  const changed = changedFiles(since);
  const read = (file: string) => fs.readFileSync(file, "utf8");
  const addresses = addressesOf(read("src/web/app/router.tsx"));
  const { tests, component } = relatedTests(readGraph(".", FOLDERS), changed, { addresses, read });
  process.stdout.write(
    `${changed.length} files changed since ${since.slice(0, 12)}; ${tests.length} tests and ${component.length} component tests are related\n`,
  );
  const bin = (place: string) => path.join("node_modules", place);
  const code = changed.filter((file) => /\.(ts|tsx|mjs)$/.test(file));
  const stamp = bin(".cache/recado-changed.tsbuildinfo");
  step("types", [bin("typescript/bin/tsc"), "-p", ".", "--incremental", "--tsBuildInfoFile", stamp]);
  if (changed.length > 0)
    step("format", [bin("@biomejs/biome/bin/biome"), "ci", "--no-errors-on-unmatched", ...changed]);
  if (code.length > 0) step("lint", [bin("oxlint/bin/oxlint"), "--type-aware", "--deny-warnings", ...code]);
  step("walls", ["scripts/walls.ts"]);
  if (tests.length > 0) step("tests", [bin("vitest/vitest.mjs"), "run", ...tests]);
  if (component.length > 0) step("component", ["scripts/component-tests.ts", ...component]);
  process.stdout.write("\nThe rest is proved by npm test alone.\n");
}

if (import.meta.main) main(process.argv.slice(2));
