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
  /** Of the given database on this server. */
  url(database: string): string;
  pid(): number;
  /** Fast shutdown: running statements are broken off, everything committed is kept. */
  stop(): Promise<void>;
};

type Options = {
  /** Exists, is held by us (data-folder.ts) and can be reached by the database's user. */
  dataFolder: string;
  /** Where the Unix socket goes: a short path, see data-folder.ts. */
  runFolder: string;
  log: Logger;
  /** Further settings, `name: value`. Only tests give up safety here; the product keeps fsync on. */
  settings?: Record<string, string>;
};

const USER = "recado";

/** Where a database of the embedded server is: its socket lies in the run folder. */
export const embeddedUrl = (runFolder: string, database: string) =>
  `postgres://${USER}@/${database}?host=${encodeURIComponent(runFolder)}`;

const START_LIMIT_MS = 600_000;
const MIN_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Starts a PostgreSQL of our own in the data folder: made when there is none, reachable over a Unix socket alone,
 * started again when it dies by itself. A server that an earlier run left behind is ended first.
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const { dataFolder, runFolder, log } = options;
  const user = databaseUser(dataFolder);
  const binaries = findBinaries(dataFolder, user);
  const pgdata = clusterIn(dataFolder);
  if (!fs.existsSync(path.join(pgdata, "PG_VERSION")))
    createCluster(binaries, pgdata, user, options.settings?.fsync !== "off");
  else refuseOtherMajor(pgdata);
  // PostgreSQL opens none that others may read, as after `chmod -R` on all of the data folder.
  ownFolder(pgdata, user);
  ownFolder(runFolder, user);

  keepLog(pgdata);
  let stopping = false;
  let running: ChildProcess | undefined;
  // A command that ends in the middle leaves no server behind, which has a session of its own and would run on.
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
      // It may be on its way up again just now: nobody must be left behind.
      await relaunched;
      await end(child);
      process.off("exit", endWithUs);
    },
  };
}

/** PostgreSQL's own words for it are English, and go to its log. */
export function refuseOtherMajor(pgdata: string, own = MAJOR_VERSION): void {
  const theirs = fs.readFileSync(path.join(pgdata, "PG_VERSION"), "utf8").trim();
  if (theirs === own) return;
  throw new StartError(
    `O banco de dados em ${pgdata} é do PostgreSQL ${theirs}, e o desta versão do Recado é o ${own}, que não o abre. Nada foi alterado. ` +
      "Faça uma cópia com a versão do Recado que o usava (npm run backup) e restaure-a com esta numa pasta nova (npm run restore).",
  );
}

/** initdb into a draft that is renamed when complete: a crash in between leaves no half-made cluster behind. */
function createCluster(binaries: Binaries, pgdata: string, user: RunAs, sync: boolean): void {
  refuseRemains(pgdata);
  const draft = `${pgdata}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  ownFolder(draft, user);
  const args = ["-D", draft, "-U", USER, "-A", "trust", "-E", "UTF8", "--data-checksums"];
  // The built-in locale sorts and folds case the same on every system, whatever the machine has installed.
  args.push("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  if (!sync) args.push("--no-sync");
  const result = spawnSync(binaries.initdb, args, { ...user, cwd: "/", env: MIN_ENV, encoding: "utf8" });
  if (result.status !== 0) {
    const reason = String(result.error ?? result.stderr).trim();
    // Ctrl-C in the terminal reaches its children too, which then say much in English.
    if (
      result.signal !== null ||
      /terminated by signal (1|2|15)\b|caught signal|^initdb: removing contents/.test(reason)
    )
      throw new StartError("Interrompido enquanto o banco de dados era criado: nada ficou pela metade.");
    throw startFailure(pgdata, `Não foi possível criar o banco de dados em ${pgdata}: ${reason}`);
  }
  fs.renameSync(draft, pgdata);
}

/** Bytes below which not even a server's log is written, so that nobody says why it ended. */
const NOTHING_LEFT = 1e6;

/** A full disk is why it most often fails: PostgreSQL says so in English among other things, or has nowhere to say it. */
export function startFailure(pgdata: string, said: string, free = freeBeside(pgdata)): StartError {
  if (!/No space left on device|Disk quota exceeded/.test(said) && free >= NOTHING_LEFT)
    return new StartError(said);
  return new StartError(
    `Não há espaço no disco de ${pgdata}, e sem ele o banco de dados não inicia. Libere ao menos 100 MB e tente de novo.`,
  );
}

/** Infinity where the system does not say. */
function freeBeside(pgdata: string): number {
  try {
    const { blocks, bavail, bsize } = fs.statfsSync(path.dirname(pgdata));
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** A database of which a part was taken away, or into which this user may not look, is somebody's: never replaced by an empty one. */
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

/** What the last server said stays beside what the next one says, however often that is tried: why it ended is told nowhere else. */
function keepLog(pgdata: string): void {
  try {
    fs.renameSync(logFile(pgdata), `${logFile(pgdata)}.1`);
  } catch {
    // There is none yet; or it cannot be kept, which must keep nobody from starting.
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
    // Errors of statements reach our own log through the driver; the file keeps what only the server knows.
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
      // Its own session: Ctrl-C in the terminal must reach us first, the database last.
      detached: true,
      cwd: "/",
      env: MIN_ENV,
      stdio: ["ignore", output, output],
    });
  } finally {
    fs.closeSync(output);
  }
}

/** PostgreSQL writes its state into the eighth line of its pid file; `pg_ctl` waits in the same way. */
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
  let told = start;
  while (!isReady(pgdata, child.pid)) {
    if (failure) throw startFailure(pgdata, `O banco de dados não iniciou: ${failure}`);
    if (performance.now() - start > START_LIMIT_MS)
      throw new StartError("O banco de dados não ficou pronto em 10 minutos.");
    if (performance.now() - told > 5_000) {
      told = performance.now();
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
  // Immediate shutdown after 20 s: the next start recovers from the log, which takes longer but loses nothing.
  const timer = setTimeout(() => child.kill("SIGQUIT"), 20_000);
  await exited;
  clearTimeout(timer);
}
