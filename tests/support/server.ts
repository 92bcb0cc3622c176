import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { offeredDatabase } from "./offered-databases.ts";
import { freePort } from "./ports.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");

export type ServerOptions = {
  /**
   * A database of its own (testDatabase().url); absent: one made for it on the run's PostgreSQL where that offers databases to whole
   * products (offered-databases.ts), else the product's embedded PostgreSQL in a fresh data folder. Null: the embedded one wherever it runs.
   */
  databaseUrl?: string | null;
  /** Kept and not removed at the end, when given. */
  dataFolder?: string;
  /** A free one when absent. */
  port?: number;
  env?: Record<string, string>;
  /** Modules loaded before the product: how a test tells it of the simulator. */
  preload?: string[];
  /** Of Node, which an environment may not carry. */
  flags?: string[];
};

export type ProductServer = {
  url: string;
  dataFolder: string;
  /** The environment in which another process finds the same data. */
  place: Record<string, string>;
  pid(): number;
  /** Everything that the process wrote to its output and its log since it was started. */
  output(): string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Ends Node alone, at once, as a crash does; an embedded PostgreSQL lives on. */
  kill9(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  restart(): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
  /** Ends it and removes the data folder that was made for it. */
  close(): Promise<void>;
};

/** With this in its environment a product tells its operator how it is (askHealth). */
export const OPERATOR = { RECADO_METRICS_TOKEN: "token-of-the-operator" };

/** GET /api/health as its operator. */
export const askHealth = (product: Pick<ProductServer, "fetch">): Promise<Response> =>
  product.fetch("/api/health", { headers: { authorization: `Bearer ${OPERATOR.RECADO_METRICS_TOKEN}` } });

/** The real product, as a process of its own, on fresh data and a free port; answers when it is healthy. */
export async function startProduct(options: ServerOptions = {}): Promise<ProductServer> {
  const port = options.port ?? (await freePort());
  const made = options.dataFolder === undefined;
  const dataFolder = options.dataFolder ?? fs.mkdtempSync(path.join(os.tmpdir(), "recado-data-"));
  if (made) fs.chmodSync(dataFolder, 0o755);
  const offered = options.databaseUrl === undefined && made ? await offeredDatabase() : null;
  const databaseUrl = options.databaseUrl ?? offered?.url;
  const place = {
    RECADO_DATA: dataFolder,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  let output = "";

  async function start(): Promise<void> {
    output = "";
    child = spawnProduct({ PORT: String(port), ...place }, options);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    await untilHealthy(url, child, () => output);
  }
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exited = once(child, "exit");
    child.kill(signal);
    const [code] = await exited;
    return code as number | null;
  }
  const stop = () => end("SIGTERM");
  const kill9 = async () => {
    await end("SIGKILL");
  };

  const clean = async () => {
    await offered?.drop();
    if (made) fs.rmSync(dataFolder, { recursive: true, force: true });
  };

  try {
    await start();
  } catch (error) {
    await end("SIGKILL");
    await clean();
    throw error;
  }
  return {
    url,
    dataFolder,
    place,
    pid: () => child?.pid ?? 0,
    output: () => output,
    fetch: (place, init) => fetch(`${url}${place}`, init),
    kill9,
    start,
    async restart() {
      await kill9();
      await start();
    },
    stop,
    async close() {
      await stop();
      await clean();
    },
  };
}

function spawnProduct(place: Record<string, string>, options: ServerOptions): ChildProcess {
  const { env, preload = [], flags = [] } = options;
  const args = [
    ...flags,
    ...preload.flatMap((module) => ["--import", path.resolve(ROOT, module)]),
    "dist/server/main.js",
  ];
  return spawn(process.execPath, args, {
    cwd: ROOT,
    // The channel ends with us: a test run that dies leaves no server behind.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      ...withoutOurs(process.env),
      LOG_LEVEL: "warn",
      // As scripts/run.mjs starts it.
      NODE_COMPILE_CACHE: path.join(ROOT, "node_modules/.cache/node"),
      ...place,
      ...env,
    },
  });
}

/** The developer's own settings must not reach the product under test. */
export function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = /^(RECADO_|DATABASE_URL$|PORT$|HOST$|LOG_LEVEL$|NODE_OPTIONS$|VITEST)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}

async function untilHealthy(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const end = performance.now() + 180_000;
  while (child.exitCode === null && child.signalCode === null && performance.now() < end) {
    const answer = await fetch(`${url}/api/health`).catch(() => null);
    if (answer?.ok) return;
    await pause(50);
  }
  throw new Error(`the product did not get healthy (exit ${child.exitCode}):\n${output()}`);
}
