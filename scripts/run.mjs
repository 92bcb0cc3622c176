// JavaScript for any Node >= 20.19: installs when the lock changed, builds when sources changed, and starts
// the pinned Node.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { staleParts } from "./stale.mjs";

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(ROOT);

const LOCK = "package-lock.json";
const BIN = path.resolve("node_modules/.bin");
const bin = (name) => path.join("node_modules", name);
const STEPS = {
  types: [bin("typescript/bin/tsc"), "-p", "."],
  format: [bin("@biomejs/biome/bin/biome"), "ci", "--max-diagnostics=30", "--colors=off", "."],
  lint: [bin("oxlint/bin/oxlint"), "--type-aware", "--deny-warnings"],
  walls: ["scripts/walls.ts"],
  owners: ["scripts/owners.ts"],
  language: ["scripts/language.ts"],
  functions: ["scripts/functions.ts"],
  styles: ["scripts/styles.ts"],
  unused: [bin("knip/bin/knip.js"), "--no-progress"],
  licences: ["scripts/licences.ts"],
  tests: [bin("vitest/vitest.mjs"), "run"],
  component: ["scripts/component-tests.ts"],
  build: ["scripts/build.ts"],
  browser: [bin("@playwright/test/cli.js"), "test"],
};
const TIMES = "node_modules/.cache/recado-times";
const CHECKS = [
  "types",
  "format",
  "lint",
  "walls",
  "owners",
  "language",
  "functions",
  "styles",
  "unused",
  "licences",
];

/**
 * Without the limits a campaign to a million people peaks at 400 MB instead of 225. deploy uses the same
 * flags.
 */
const SMALL_HEAP = JSON.parse(fs.readFileSync("scripts/engine-flags.json", "utf8"));
/** glibc: two memory pools for all threads save 10 to 17 MB. */
const FEW_ARENAS = JSON.parse(fs.readFileSync("scripts/engine-env.json", "utf8"));

/** Node's compile cache halves the CPU time of the next start. Vitest's short processes gain nothing. */
const COMPILED = { NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/node"), ...process.env };

const PROGRAMS = {
  start: { file: "dist/server/main.js", serves: true, flags: SMALL_HEAP, env: FEW_ARENAS },
  account: { file: "src/server/commands/cli.ts" },
  backup: { file: "src/server/commands/backup-cli.ts" },
  restore: { file: "src/server/commands/restore-cli.ts" },
  "lost-key": { file: "src/server/commands/lost-key-cli.ts" },
  "test:changed": { file: "scripts/test-changed.ts", tests: true },
  conformance: { file: "scripts/conformance.ts" },
  sbom: { file: "scripts/sbom.ts" },
  announce: { file: "src/server/commands/announce-cli.ts" },
  simulator: { file: "simulators/main.ts", tests: true },
  demo: { file: "tests/demo/main.ts", serves: true, tests: true },
  pictures: { file: "tests/demo/pictures.ts", serves: true, tests: true },
  faults: { file: "tests/faults/main.ts", serves: true, tests: true },
  fuzz: { file: "tests/fuzz/main.ts", serves: true, tests: true },
  bench: { file: "bench/main.ts", serves: true, tests: true },
};

function say(text) {
  process.stdout.write(`${text}\n`);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

// --- set-up ---------------------------------------------------------------------------------------------------------

const hashOf = (file) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");
const MARK = "node_modules/.recado-installed";
const LISTED = "node_modules/.package-lock.json";

/** The lock's content, not its time: an archive of another version may have older files. */
function isInstalled() {
  if (fs.existsSync(MARK) && fs.readFileSync(MARK, "utf8") === hashOf(LOCK)) return true;
  if (!fs.existsSync(LISTED)) return false;
  const [wanted, there] = [LOCK, LISTED].map((file) => JSON.parse(fs.readFileSync(file, "utf8")).packages);
  const needed = Object.keys(wanted).filter((name) => {
    const { dev, optional, devOptional } = wanted[name];
    return name !== "" && !dev && !optional && !devOptional;
  });
  return (
    needed.every((name) => there[name]) &&
    Object.keys(there).every((name) => there[name].version === wanted[name]?.version)
  );
}

function npm(args, tests) {
  const cli = process.env.npm_execpath;
  const flags = [
    ...args,
    tests ? "--include=dev" : "--omit=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const [command, before] = cli?.endsWith(".js") ? [process.execPath, [cli]] : ["npm", []];
  return spawnSync(command, [...before, ...flags], { stdio: "inherit" }).status === 0;
}

function hasTestTools() {
  const { devDependencies } = JSON.parse(fs.readFileSync("package.json", "utf8"));
  return Object.keys(devDependencies).every((name) => fs.existsSync(bin(name)));
}

function install(tests = false) {
  if (isInstalled() && !(tests && !hasTestTools())) return;
  const start = Date.now();
  say("Instalando dependências…");
  const all = tests || fs.existsSync(bin("@playwright/test"));
  // `npm ci` fails where the registry lacks a package of another platform; a plain install does not.
  if (!npm(["ci"], all) && !npm(["install", "--no-save"], all))
    fail("Não foi possível instalar as dependências (npm ci).");
  fs.writeFileSync(MARK, hashOf(LOCK));
  say(`Dependências instaladas em ${seconds(start)}.`);
}

function findNode() {
  const pinned = path.join(BIN, "node");
  if (fs.existsSync(pinned) && spawnSync(pinned, ["--version"], { stdio: "ignore" }).status === 0)
    return pinned;
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  return fail(
    `O Recado roda no Node 24, que o npm não oferece para ${process.platform}-${process.arch}. ` +
      `Instale o Node 24 ou mais novo (este é ${process.version}).`,
  );
}

async function buildIfStale(node) {
  const parts = staleParts();
  if (parts.length === 0) return;
  say("Construindo a página e o servidor…");
  if ((await run(node, [...STEPS.build, ...parts])) !== 0)
    fail("A página e o servidor não puderam ser construídos; o que havia antes ficou como estava.");
}

// --- running --------------------------------------------------------------------------------------------------------

const seconds = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`;

let current = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (current) current.kill(signal);
    else process.exit(1);
  });
}

/** npm killed with -9 leaves its child running; the child then sees its new parent and exits. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && current) current.kill("SIGTERM");
  }, 500).unref();
}

/** `watched`: the program has a channel to us and exits in order when we are killed. */
function run(node, args, watched = false, more = {}) {
  const env = { ...process.env, ...more, PATH: `${BIN}${path.delimiter}${process.env.PATH ?? ""}` };
  const stdio = ["inherit", "inherit", "inherit", ...(watched ? ["ipc"] : [])];
  current = spawn(node, args, { stdio, env });
  return new Promise((resolve) => {
    current.once("error", (error) => fail(String(error)));
    current.once("exit", (code, signal) => {
      current = null;
      resolve(code ?? (signal ? 1 : 0));
    });
  });
}

async function runSteps(node, names) {
  const passed = [];
  for (const [at, name] of names.entries()) {
    const start = Date.now();
    say(`\n▶ ${name} (${at + 1}/${names.length})`);
    const code = await run(node, STEPS[name]);
    if (code !== 0) {
      const left = names.slice(at + 1);
      say(`\n✗ ${name} falhou (código ${code}). Passaram: ${passed.join(", ") || "nenhum"}.`);
      if (left.length > 0) say(`Não rodaram: ${left.join(", ")}.`);
      process.exit(1);
    }
    passed.push(`${name} ${seconds(start)}`);
  }
  say(`\n✓ ${passed.join(" · ")}`);
}

async function test(node) {
  fs.rmSync(TIMES, { recursive: true, force: true });
  await runSteps(node, [...CHECKS, "component", "build", "tests", "browser"]);
  const read = (name) => Object.entries(JSON.parse(fs.readFileSync(path.join(TIMES, name), "utf8")));
  const slowest = fs
    .readdirSync(TIMES)
    .flatMap(read)
    .toSorted(([, a], [, b]) => b - a);
  say("\nArquivos mais lentos:");
  for (const [file, ms] of slowest.slice(0, 10)) say(`${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
}

async function main([command = "", ...rest]) {
  const known = [...Object.keys(PROGRAMS), "build", "check", "test"];
  if (!known.includes(command)) fail(`Comandos: ${known.map((name) => `npm run ${name}`).join(", ")}`);
  endWithNpm();
  const program = PROGRAMS[command];
  install(program ? program.tests === true : command !== "build");
  const node = findNode();
  if (command === "build") return runSteps(node, ["build"]);
  if (command === "check") return runSteps(node, CHECKS);
  if (command === "test") return test(node);
  if (program.serves) await buildIfStale(node);
  process.exitCode = await run(node, [...(program.flags ?? []), program.file, ...rest], true, {
    ...COMPILED,
    ...program.env,
  });
}

await main(process.argv.slice(2));
