import { createHash } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { StartError, systemReason } from "../base/start-error.ts";
import { canReach, databaseUser } from "./postgres-user.ts";

export type DataFolder = {
  /** Absolute; holds database and secret key. */
  path: string;
  run: string;
  /** Why another folder is used; null when it is the requested one. */
  notice: string | null;
  held: boolean;
  release(): Promise<void>;
};

/** sun_path holds 107 bytes on Linux, 103 on macOS; the socket is `.s.PGSQL.5432`. */
const MAX_SOCKET_PATH = 103;
const LONGEST_SOCKET_NAME = "/.s.PGSQL.5432".length;
const SYSTEM_FOLDER = "/var/lib/recado";

const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** `hold`: only one process may use our database. `visit`: allowed while another holds it. */
type Use = { hold: boolean; visit: boolean };

/** Locks the folder before any access. `asked`: RECADO_DATA, default `./data`. */
export async function openDataFolder(
  asked: string | undefined,
  { hold, visit }: Use = { hold: true, visit: false },
): Promise<DataFolder> {
  if (hold && visit) refuseMissing(asked);
  const chosen = choose(asked, hold);
  const run = runFolder(chosen.path);
  const open = { ...chosen, run, held: false, release: async () => undefined };
  if (!hold) return open;
  fs.mkdirSync(run, { recursive: true, mode: 0o700 });
  const release = await holdBySocket(path.join(run, "recado.sock"));
  if (release)
    return { ...open, held: true, release: () => release().then(() => removeShort(run, chosen.path)) };
  if (visit) return open;
  throw new StartError(
    `Já existe um Recado rodando com a pasta de dados ${chosen.path}. ` +
      "Encerre-o antes de iniciar outro, ou defina RECADO_DATA com outra pasta.",
  );
}

/** Otherwise a command would create an empty installation and report on it or copy it. */
function refuseMissing(asked: string | undefined): void {
  const folder = folderOf(asked);
  if (fs.existsSync(folder)) return;
  throw new StartError(
    `Não há um Recado aqui: a pasta de dados ${folder} não existe. Defina RECADO_DATA como no servidor.`,
  );
}

const folderOf = (asked: string | undefined) => path.resolve(asked ?? "data");

function choose(asked: string | undefined, withDatabase: boolean): { path: string; notice: string | null } {
  const wanted = folderOf(asked);
  make(wanted);
  if (!withDatabase || canReach(wanted, databaseUser(wanted)))
    return { path: fs.realpathSync(wanted), notice: null };
  // Each requested folder gets its own place; the default has the plain name.
  const instead = asked === undefined ? SYSTEM_FOLDER : `${SYSTEM_FOLDER}-${shortHash(wanted)}`;
  make(instead);
  const notice =
    `O usuário do banco de dados não alcança a pasta ${wanted} (ela fica dentro de uma pasta só do root). ` +
    `Os dados ficam em ${instead}.`;
  return { path: fs.realpathSync(instead), notice };
}

function make(folder: string): void {
  try {
    for (const missing of missingUpTo(folder)) makeOne(missing);
    fs.opendirSync(folder).closeSync();
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw new StartError(
      `A pasta de dados ${folder} não pode ser usada: ${systemReason(error)}. ` +
        "Defina RECADO_DATA com uma pasta em que este usuário possa escrever.",
    );
  }
}

function missingUpTo(folder: string): string[] {
  return fs.existsSync(folder) ? [] : [...missingUpTo(path.dirname(folder)), folder];
}

/**
 * One level at a time: Node's recursive mkdir loops forever where the system reports no such place (/proc/x).
 */
function makeOne(folder: string): void {
  try {
    fs.mkdirSync(folder);
    // A strict umask would lock the database's user out of our new folders.
    fs.chmodSync(folder, 0o755);
  } catch (error) {
    // Another process of ours created it at the same moment.
    if (!fs.existsSync(folder)) throw error;
  }
}

function runFolder(dataFolder: string): string {
  const inside = path.join(dataFolder, "run");
  if (Buffer.byteLength(inside) + LONGEST_SOCKET_NAME <= MAX_SOCKET_PATH) return inside;
  const short = path.join(
    "/tmp",
    `recado-${process.getuid?.() ?? os.userInfo().username}-${shortHash(dataFolder)}`,
  );
  const found = fs.lstatSync(short, { throwIfNoEntry: false });
  // In a world-writable folder another user could place a link or folder under our name.
  if (found && !isOurs(found, dataFolder))
    throw new StartError(`A pasta ${short} existe e não é do Recado. Remova-a e inicie de novo.`);
  return short;
}

function removeShort(run: string, dataFolder: string): void {
  if (!run.startsWith(dataFolder)) fs.rmSync(run, { recursive: true, force: true });
}

function isOurs(found: fs.Stats, dataFolder: string): boolean {
  const owners = [process.getuid?.(), databaseUser(dataFolder).uid];
  return found.isDirectory() && owners.includes(found.uid);
}

/**
 * A listening socket is the lock: it ends with its process, so it is never stale, and works across
 * containers, unlike process ids. Null: in use.
 */
async function holdBySocket(socket: string): Promise<(() => Promise<void>) | null> {
  const aside = `${socket}.${process.pid}`;
  for (let attempt = 0; attempt < 5; attempt++) {
    const server = await listen(socket);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    if (await answers(socket)) return null;
    // Left by a crash. Moved aside and asked again, as a rival may just have renewed it.
    try {
      fs.renameSync(socket, aside);
    } catch {
      continue;
    }
    if (await answers(aside)) {
      fs.renameSync(aside, socket);
      return null;
    }
    fs.rmSync(aside, { force: true });
  }
  return null;
}

function listen(socket: string): Promise<net.Server | null> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((connection) => {
      // A client hangs up at once; an unhandled broken pipe would end this process.
      connection.on("error", () => undefined);
      connection.end(`${process.pid}\n`);
    });
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(new StartError(`A pasta de dados não aceita um socket (${socket}): ${error.message}`));
    });
    server.listen(socket, () => {
      server.unref();
      resolve(server);
    });
  });
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const client = net.connect(socket);
    client.once("connect", () => {
      client.destroy();
      resolve(true);
    });
    client.once("error", () => resolve(false));
  });
}
