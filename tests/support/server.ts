import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { offeredDatabase } from "./offered-databases.ts";
import { freePort } from "./ports.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");

export const COMPILED = { NODE_COMPILE_CACHE: path.join(ROOT, "node_modules/.cache/node") };

export type ServerOptions = {
  /**
   * Default: a database on the run's PostgreSQL where one is offered (offered-databases.ts), else the
   * embedded one. Null: always the embedded one.
   */
  databaseUrl?: string | null;
  dataFolder?: string;
  port?: number;
  env?: Record<string, string>;
  preload?: string[];
  flags?: string[];
};

export type ProductServer = {
  url: string;
  dataFolder: string;
  place: Record<string, string>;
  pid(): number;
  output(): string;
  /** Asks a preloaded module through the process's channel. */
  tell(text: string): Promise<void>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Kills Node alone, as a crash does; an embedded PostgreSQL survives. */
  kill9(): Promise<void>;
  start(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<number | null>;
  close(): Promise<void>;
};

export const OPERATOR = { RECADO_METRICS_TOKEN: "token-of-the-operator" };

export const askHealth = (product: Pick<ProductServer, "fetch">): Promise<Response> =>
  product.fetch("/api/health", { headers: { authorization: `Bearer ${OPERATOR.RECADO_METRICS_TOKEN}` } });

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
    async tell(text) {
      if (!child?.connected) return;
      const over = new AbortController();
      const answered = Promise.race([once(child, "message", over), once(child, "exit", over)]);
      // It may be dying.
      child.send(text, () => undefined);
      await answered.finally(() => over.abort());
    },
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
    // A test run that dies leaves no server behind.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      ...withoutOurs(process.env),
      LOG_LEVEL: "warn",
      // At night and on Sundays a recommended plan sends nothing.
      RECADO_NUMBER_PLAN: "none",
      RECADO_UNDO_SECONDS: "0",
      ...COMPILED,
      ...place,
      ...env,
    },
  });
}

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
