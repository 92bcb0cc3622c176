import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { StartError } from "../base/start-error.ts";

/** A process of a database server that works in a given data directory. */
type Leftover = { pid: number; postmaster: boolean };

/** A program of ours, as it was started: the built server, or a command. */
const PROGRAM = /(^|\/)(dist\/server\/main\.js|src\/server\/[\w/-]+\.ts)$/;

/**
 * Finds them by what they are (a `postgres` whose working directory is this data directory), never by a number in a
 * file: after a crash that number may belong to anybody. PostgreSQL's processes all stand in the data directory.
 */
function leftoversIn(pgdata: string): Leftover[] {
  const found: Leftover[] = [];
  for (const name of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (fs.readlinkSync(`/proc/${name}/cwd`) !== pgdata) continue;
      const [program = "", ...rest] = fs.readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      if (!path.basename(program).startsWith("postgres")) continue;
      found.push({ pid: Number(name), postmaster: rest.includes("-D") });
    } catch {
      // Gone meanwhile, or another user's: then it is not ours.
    }
  }
  return found;
}

/**
 * The Recado that started this server and lives: whose server outlived it, and is another's child since, has none. The socket that says
 * "in use" may have been deleted as if it were stale; ending the database of somebody who sends would be two who send.
 */
function livingOwner(postmaster: number): number | null {
  try {
    const parent = Number(
      /^PPid:\s+(\d+)$/m.exec(fs.readFileSync(`/proc/${postmaster}/status`, "utf8"))?.[1],
    );
    if (parent === process.pid) return null;
    const words = fs.readFileSync(`/proc/${parent}/cmdline`, "utf8").split("\0");
    return words.some((word) => PROGRAM.test(word)) ? parent : null;
  } catch {
    // Gone meanwhile.
    return null;
  }
}

function refuseLiving(postmasters: readonly Leftover[], pgdata: string): void {
  for (const { pid } of postmasters) {
    const owner = livingOwner(pid);
    if (owner === null) continue;
    throw new StartError(
      `O banco de dados em ${pgdata} é de um Recado que ainda roda (processo ${owner}). Encerre-o antes de iniciar outro.`,
    );
  }
}

function signal(leftovers: Leftover[], name: NodeJS.Signals): void {
  for (const { pid } of leftovers) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself.
    }
  }
}

async function gone(pgdata: string, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (leftoversIn(pgdata).length > 0) {
    if (performance.now() > end) return false;
    await pause(20);
  }
  return true;
}

/**
 * Ends a server that an earlier process of ours left running (a `kill -9` of Node leaves it behind) and takes its pid
 * files away, also those that hold garbage, so that a new server can start. Call it only while holding the data folder. Throws a
 * StartFault where whoever started that server lives.
 */
export async function endLeftovers(pgdata: string, runFolder: string, log: Logger): Promise<void> {
  if (process.platform !== "linux") return;
  const real = fs.realpathSync(pgdata);
  const leftovers = leftoversIn(real);
  if (leftovers.length > 0) {
    const postmasters = leftovers.filter(({ postmaster }) => postmaster);
    refuseLiving(postmasters, real);
    log.warn({ pids: leftovers.map(({ pid }) => pid) }, "stopping the database server of an earlier run");
    // SIGINT is PostgreSQL's fast shutdown. Its children follow; without a postmaster they are told themselves.
    signal(postmasters.length > 0 ? postmasters : leftovers, postmasters.length > 0 ? "SIGINT" : "SIGTERM");
    if (!(await gone(real, 10_000))) {
      signal(leftoversIn(real), "SIGQUIT");
      if (!(await gone(real, 5_000))) {
        signal(leftoversIn(real), "SIGKILL");
        await gone(real, 5_000);
      }
    }
  }
  // Nobody works in this directory any more: whatever these files say is stale. PostgreSQL would believe them as long as
  // any process has that number, and be it a zombie.
  for (const stale of [
    `${real}/postmaster.pid`,
    `${runFolder}/.s.PGSQL.5432.lock`,
    `${runFolder}/.s.PGSQL.5432`,
  ]) {
    fs.rmSync(stale, { force: true });
  }
}
