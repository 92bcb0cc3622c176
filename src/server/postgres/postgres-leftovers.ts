import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { StartError } from "../base/start-error.ts";

type Leftover = { pid: number; postmaster: boolean };

/** Command lines of the built server or of a command. */
const PROGRAM = /(^|\/)(dist\/server\/main\.js|src\/server\/[\w/-]+\.ts)$/;

/**
 * Found as `postgres` processes working in this data directory, not by pid file: after a crash the number may
 * belong to another process.
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
      // Gone, or another user's.
    }
  }
  return found;
}

/**
 * Null for an orphan, which has another parent. The socket may have been deleted as stale; ending a server in
 * use makes two senders.
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
    } catch {}
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

export async function endLeftovers(pgdata: string, runFolder: string, log: Logger): Promise<void> {
  if (process.platform !== "linux") return;
  const real = fs.realpathSync(pgdata);
  const leftovers = leftoversIn(real);
  if (leftovers.length > 0) {
    const postmasters = leftovers.filter(({ postmaster }) => postmaster);
    refuseLiving(postmasters, real);
    log.warn({ pids: leftovers.map(({ pid }) => pid) }, "stopping the database server of an earlier run");
    // SIGINT is PostgreSQL's fast shutdown; without a postmaster the children are signalled directly.
    signal(postmasters.length > 0 ? postmasters : leftovers, postmasters.length > 0 ? "SIGINT" : "SIGTERM");
    if (!(await gone(real, 10_000))) {
      signal(leftoversIn(real), "SIGQUIT");
      if (!(await gone(real, 5_000))) {
        signal(leftoversIn(real), "SIGKILL");
        await gone(real, 5_000);
      }
    }
  }
  // Stale now: PostgreSQL would trust them while any process, even a zombie, has that pid.
  for (const stale of [
    `${real}/postmaster.pid`,
    `${runFolder}/.s.PGSQL.5432.lock`,
    `${runFolder}/.s.PGSQL.5432`,
  ]) {
    fs.rmSync(stale, { force: true });
  }
}
