import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { StartError, systemReason } from "../base/start-error.ts";
import { type Binaries, findBinaries, MAJOR_VERSION } from "./postgres-binaries.ts";
import { endLeftovers } from "./postgres-leftovers.ts";
import { clusterIn, databaseUser, ownFolder, type RunAs } from "./postgres-user.ts";

export type EmbeddedPostgres = {
  url(database: string): string;
  pid(): number;
  /** Fast shutdown: aborts running statements, keeps commits. */
  stop(): Promise<void>;
};

type Options = {
  /** Locked by us (data-folder.ts), accessible to the database's user. */
  dataFolder: string;
  /** Short path for the Unix socket (data-folder.ts). */
  runFolder: string;
  log: Logger;
  /** Only tests lower safety here; the product keeps fsync on. */
  settings?: Record<string, string>;
};

const USER = "recado";

export const embeddedUrl = (runFolder: string, database: string) =>
  `postgres://${USER}@/${database}?host=${encodeURIComponent(runFolder)}`;

const START_LIMIT_MS = 600_000;
const MIN_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** On a Unix socket; creates a missing cluster, ends leftovers of earlier runs, restarts after a crash. */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const { dataFolder, runFolder, log } = options;
  const user = databaseUser(dataFolder);
  const binaries = findBinaries(dataFolder, user);
  const pgdata = clusterIn(dataFolder);
  if (!fs.existsSync(path.join(pgdata, "PG_VERSION")))
    createCluster(binaries, pgdata, user, options.settings?.fsync !== "off");
  else refuseOtherMajor(pgdata);
  // PostgreSQL refuses a folder others may read, as after `chmod -R`.
  ownFolder(pgdata, user);
  ownFolder(runFolder, user);

  keepLog(pgdata);
  let stopping = false;
  let running: ChildProcess | undefined;
  // The server has its own session and would outlive us.
  const endWithUs = () => running?.kill("SIGINT");
  process.on("exit", endWithUs);
  let relaunched: Promise<void> = Promise.resolve();
  let child = await launch();

  async function launch(): Promise<ChildProcess> {
    await endLeftovers(pgdata, runFolder, log);
    const started = spawnServer({ binaries, pgdata, runFolder, user, settings: options.settings ?? {} });
    running = started;
    await untilReady(started, pgdata, log);
    started.once("exit", (code, signal) => {
      if (stopping) return;
      log.error({ code, signal }, "the database server ended by itself: starting it again");
      keepLog(pgdata);
      relaunched = relaunch();
    });
    return started;
  }

  async function relaunch(): Promise<void> {
    for (let waitMs = 200; !stopping; waitMs = Math.min(waitMs * 2, 5_000)) {
      try {
        child = await launch();
        return;
      } catch (error) {
        log.error({ err: error }, "the database server does not start");
        await pause(waitMs);
      }
    }
  }

  return {
    url: (database) => embeddedUrl(runFolder, database),
    pid: () => child.pid ?? 0,
    async stop() {
      stopping = true;
      // It may just be restarting and must not be left running.
      await relaunched;
      await end(child);
      process.off("exit", endWithUs);
    },
  };
}

/** PostgreSQL's own message is English and only in its log. */
export function refuseOtherMajor(pgdata: string, own = MAJOR_VERSION): void {
  const theirs = fs.readFileSync(path.join(pgdata, "PG_VERSION"), "utf8").trim();
  if (theirs === own) return;
  throw new StartError(
    `O banco de dados em ${pgdata} é do PostgreSQL ${theirs}, e o desta versão do Recado é o ${own}, que não o abre. Nada foi alterado. ` +
      "Faça uma cópia com a versão do Recado que o usava (npm run backup) e restaure-a com esta numa pasta nova (npm run restore).",
  );
}

/** Renamed when complete: a crash leaves no half cluster. */
function createCluster(binaries: Binaries, pgdata: string, user: RunAs, sync: boolean): void {
  refuseRemains(pgdata);
  const draft = `${pgdata}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  ownFolder(draft, user);
  const args = ["-D", draft, "-U", USER, "-A", "trust", "-E", "UTF8", "--data-checksums"];
  // Sorts and folds case alike on every system.
  args.push("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  if (!sync) args.push("--no-sync");
  const result = spawnSync(binaries.initdb, args, { ...user, cwd: "/", env: MIN_ENV, encoding: "utf8" });
  if (result.status !== 0) {
    const reason = String(result.error ?? result.stderr).trim();
    // Ctrl-C reaches the children too, which print English.
    if (
      result.signal !== null ||
      /terminated by signal (1|2|15)\b|caught signal|^initdb: removing contents/.test(reason)
    )
      throw new StartError("Interrompido enquanto o banco de dados era criado: nada ficou pela metade.");
    throw startFailure(pgdata, `Não foi possível criar o banco de dados em ${pgdata}: ${reason}`);
  }
  fs.renameSync(draft, pgdata);
}

/** Below this, not even the server's log explains its end. */
const NOTHING_LEFT = 1e6;

/** Usually a full disk, which PostgreSQL reports in English or not at all. */
export function startFailure(pgdata: string, said: string, free = freeBeside(pgdata)): StartError {
  if (!/No space left on device|Disk quota exceeded/.test(said) && free >= NOTHING_LEFT)
    return new StartError(said);
  return new StartError(
    `Não há espaço no disco de ${pgdata}, e sem ele o banco de dados não inicia. Libere ao menos 100 MB e tente de novo.`,
  );
}

/** Infinity if unknown. */
function freeBeside(pgdata: string): number {
  try {
    const { blocks, bavail, bsize } = fs.statfsSync(path.dirname(pgdata));
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** A partly deleted or unreadable database is never replaced by an empty one. */
function refuseRemains(pgdata: string): void {
  let found: string[];
  try {
    found = fs.readdirSync(pgdata);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw new StartError(`O banco de dados em ${pgdata} não pode ser aberto: ${systemReason(error)}.`);
  }
  if (found.length === 0) return;
  throw new StartError(
    `O banco de dados em ${pgdata} está incompleto: falta PG_VERSION. Nada foi alterado. ` +
      "Devolva a pasta inteira, ou restaure uma cópia (npm run restore) com RECADO_DATA em uma pasta nova.",
  );
}

type ServerSpec = {
  binaries: Binaries;
  pgdata: string;
  runFolder: string;
  user: RunAs;
  settings: Record<string, string>;
};

const logFile = (pgdata: string) => `${pgdata}.log`;

/** Across retries: only it says why the server ended. */
function keepLog(pgdata: string): void {
  try {
    fs.renameSync(logFile(pgdata), `${logFile(pgdata)}.1`);
  } catch {
    // None yet, or not keepable: start anyway.
  }
}

function spawnServer({ binaries, pgdata, runFolder, user, settings }: ServerSpec): ChildProcess {
  const all: Record<string, string> = {
    listen_addresses: "",
    unix_socket_directories: `"${runFolder}"`,
    unix_socket_permissions: "0700",
    // /dev/shm is 64 MB in most containers; files in the data directory have no such limit.
    dynamic_shared_memory_type: "mmap",
    timezone: "UTC",
    log_timezone: "UTC",
    // Statement errors reach our log; this file gets the server's own.
    log_min_messages: "log",
    log_checkpoints: "off",
    jit: "off",
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const output = fs.openSync(logFile(pgdata), "w");
  try {
    if (user.uid !== undefined && user.gid !== undefined) fs.fchownSync(output, user.uid, user.gid);
    return spawn(binaries.postgres, ["-D", pgdata, ...args], {
      ...user,
      // Own session: Ctrl-C must reach us first, the database last.
      detached: true,
      cwd: "/",
      env: MIN_ENV,
      stdio: ["ignore", output, output],
    });
  } finally {
    fs.closeSync(output);
  }
}

/** The pid file's eighth line, as `pg_ctl` reads it. */
function isReady(pgdata: string, pid: number | undefined): boolean {
  try {
    const lines = fs.readFileSync(path.join(pgdata, "postmaster.pid"), "utf8").split("\n");
    return Number(lines[0]) === pid && (lines[7] ?? "").startsWith("ready");
  } catch {
    return false;
  }
}

async function untilReady(child: ChildProcess, pgdata: string, log: Logger): Promise<void> {
  let failure = "";
  const onError = (error: Error) => {
    failure = String(error);
  };
  const onExit = (code: number | null) => {
    failure = `exit ${code}\n${fs.readFileSync(logFile(pgdata), "utf8").trim()}`;
  };
  child.once("error", onError).once("exit", onExit);
  const start = performance.now();
  let reportedAt = start;
  while (!isReady(pgdata, child.pid)) {
    if (failure) throw startFailure(pgdata, `O banco de dados não iniciou: ${failure}`);
    if (performance.now() - start > START_LIMIT_MS)
      throw new StartError("O banco de dados não ficou pronto em 10 minutos.");
    if (performance.now() - reportedAt > 5_000) {
      reportedAt = performance.now();
      log.info("waiting for the database (it recovers after a crash)");
    }
    await pause(10);
  }
  child.off("exit", onExit);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGINT");
  // Immediate shutdown: recovery is slower but loses nothing.
  const timer = setTimeout(() => child.kill("SIGQUIT"), 20_000);
  await exited;
  clearTimeout(timer);
}
