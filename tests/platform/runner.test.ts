import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/ports.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-runner-"));
fs.chmodSync(folder, 0o755);
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0))
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
});

/** `npm start` without npm: the runner in its own process group, as in a terminal. */
async function start() {
  const port = await freePort();
  const child = spawn(process.execPath, ["scripts/run.mjs", "start"], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: os.homedir(),
      PORT: String(port),
      RECADO_DATA: folder,
      LOG_LEVEL: "warn",
    },
  });
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const healthy = async () =>
    (await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => null))?.status ?? output;
  await expect.poll(healthy, { timeout: 150_000, interval: 100 }).toBe(200);
  return { child, output: () => output };
}

function livesInFolder(): number {
  return fs.readdirSync("/proc").filter((pid) => {
    try {
      const description =
        fs.readFileSync(`/proc/${pid}/cmdline`, "utf8") + fs.readFileSync(`/proc/${pid}/environ`, "utf8");
      return /^\d+$/.test(pid) && Number(pid) !== process.pid && description.includes(folder);
    } catch {
      return false;
    }
  }).length;
}

const nothingLeft = () => expect.poll(livesInFolder, { timeout: 60_000, interval: 100 }).toBe(0);

test.each([
  ["Ctrl-C", "SIGINT"],
  ["a closed terminal", "SIGHUP"],
] as const)(
  "%s, which reaches the whole group at once, ends all of it in order, with code 0",
  async (_, signal) => {
    const { child, output } = await start();
    process.kill(-(child.pid ?? 0), signal);
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(output()).toMatch(/Encerrando…\n$/);
    await nothingLeft();
  },
);

test("SIGTERM to the runner ends all of it in order, with code 0", async () => {
  const { child } = await start();
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  await nothingLeft();
});

test("a kill -9 of the runner leaves nothing that would be in the way of the next start", async () => {
  const { child } = await start();
  child.kill("SIGKILL");
  await nothingLeft();
  const again = await start();
  expect(again.output()).not.toMatch(/Instalando|Construindo/);
  again.child.kill("SIGTERM");
  await once(again.child, "exit");
  await nothingLeft();
  fs.rmSync(folder, { recursive: true, force: true });
});

type Listed = Record<string, { version: string; dev?: true; optional?: true; devOptional?: true }>;

/** As `npm ci --omit=dev` leaves it, without npm. */
function leanInstallation() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "recado-lean-"));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  fs.cpSync(path.join(ROOT, "scripts"), path.join(root, "scripts"), { recursive: true });
  for (const file of ["package.json", "package-lock.json"])
    fs.copyFileSync(path.join(ROOT, file), path.join(root, file));
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Listed;
  };
  const listed = Object.entries(lock.packages).filter(
    ([name, { dev, optional, devOptional }]) => name !== "" && !dev && !optional && !devOptional,
  );
  const list = (packages: Listed) => {
    fs.mkdirSync(path.join(root, "node_modules"), { recursive: true });
    fs.writeFileSync(path.join(root, "node_modules", ".package-lock.json"), JSON.stringify({ packages }));
  };
  const npm = path.join(root, "npm.js");
  fs.writeFileSync(npm, 'console.log(process.argv.slice(2, 4).join(" ")); process.exit(1);\n');
  const env = { PATH: path.dirname(process.execPath), npm_execpath: npm };
  const printed = (command: string) =>
    spawnSync(process.execPath, ["scripts/run.mjs", command], { cwd: root, env, encoding: "utf8" }).stdout;
  return { list, listed: Object.fromEntries(listed), printed };
}

const INSTALLS = "Instalando dependências…\nci --omit=dev\ninstall --no-save\n";

test("a production install runs and builds; what tests need is installed by the commands that test", () => {
  const { list, listed, printed } = leanInstallation();
  list(listed);
  expect(printed("start")).toBe("Construindo a página e o servidor…\n");
  expect(printed("account")).toBe("");
  for (const command of ["test", "check", "bench", "faults", "pictures", "demo"])
    expect(printed(command), command).toMatch(/^Instalando dependências…\nci --include=dev\n/);
});

test("no browser, compiler or linter is among what a production install brings", () => {
  const { listed } = leanInstallation();
  const names = Object.keys(listed).map((place) => place.replace(/^.*node_modules\//, ""));
  expect(names).toEqual(expect.arrayContaining(["vite", "react", "hono"]));
  expect(
    names.filter((name) => /playwright|chromium|^typescript$|biome|oxlint|vitest|knip/.test(name)),
  ).toEqual([]);
});

test("packages of another version are reinstalled, whatever times its files bring", () => {
  const { list, listed, printed } = leanInstallation();
  list({ ...listed, "node_modules/pg": { version: "8.0.0" } });
  expect(printed("account")).toBe(INSTALLS);
  const { "node_modules/pg": _, ...fewer } = listed;
  list(fewer);
  expect(printed("account")).toBe(INSTALLS);
  list({ ...listed, "node_modules/no-longer-there": { version: "1.0.0" } });
  expect(printed("account")).toBe(INSTALLS);
});

const ENGINE_ENV = Object.entries(
  JSON.parse(fs.readFileSync(path.join(ROOT, "scripts/engine-env.json"), "utf8")) as Record<string, string>,
)
  .map(([name, value]) => `${name}=${value}`)
  .join(" ");

test.each(["recado", "recado-web@", "recado-worker@"])(
  "systemd gives %s the flags that npm start gives",
  (name) => {
    const unit = fs.readFileSync(path.join(ROOT, `deploy/systemd/${name}.service`), "utf8");
    const flags = JSON.parse(
      fs.readFileSync(path.join(ROOT, "scripts/engine-flags.json"), "utf8"),
    ) as string[];
    expect(unit).toContain(`/.bin/node ${flags.join(" ")} dist/server/main.js\n`);
    expect(unit).toMatch(new RegExp(`^Environment=.* ${ENGINE_ENV}$`, "m"));
  },
);

test("the container's process gets them too", () => {
  const file = fs.readFileSync(path.join(ROOT, "deploy/Dockerfile"), "utf8");
  const flags = JSON.parse(fs.readFileSync(path.join(ROOT, "scripts/engine-flags.json"), "utf8")) as string[];
  const command = ["node_modules/.bin/node", ...flags, "dist/server/main.js"].map((part) =>
    JSON.stringify(part),
  );
  expect(file).toContain(`CMD [${command.join(", ")}]\n`);
  expect(file).toMatch(new RegExp(`^ENV .* ${ENGINE_ENV}$`, "m"));
});

test("the containers are given every setting that docs/operations.md names, as the operator's file has it", () => {
  const page = fs.readFileSync(path.join(ROOT, "docs/operations.md"), "utf8");
  const compose = fs.readFileSync(path.join(ROOT, "deploy/compose.yaml"), "utf8");
  const named = [...page.matchAll(/^\| `((?:RECADO_\w+|LOG_LEVEL))`/gm)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(15);
  const own = [
    "RECADO_DATA",
    "RECADO_PROCESS",
    "RECADO_TRUST_PROXY",
    "RECADO_TERMS_FILE",
    "RECADO_TIME_SCALE",
  ];
  for (const name of named.filter((one) => !own.includes(one)))
    expect(compose).toMatch(new RegExp(`^ {4}${name}: \\$\\{${name}:[-?]\\}$`, "m"));
});

test("an image is built of the code alone: no data, key, copy or settings of the machine it is built on", () => {
  const lines = (file: string) =>
    fs
      .readFileSync(path.join(ROOT, file), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
  const left = lines(".dockerignore");
  // Git ignores it in any folder; a Docker pattern starts at the root.
  for (const one of lines(".gitignore")) expect(left).toContain(`**/${one.replace(/\/$/, "")}`);
  expect(left).toEqual(expect.arrayContaining([".git", "**/*.env"]));
});
