import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { StartError, systemReason } from "../base/start-error.ts";

/** Who runs the database's processes; empty: the same user as ours. */
export type RunAs = { uid?: number; gid?: number };

/** Where a data folder keeps its database. */
export const clusterIn = (dataFolder: string) => path.join(dataFolder, "postgres");

/**
 * PostgreSQL refuses to run as root, so as root we run it as whoever owns the database of this data folder: nobody else may open it. One
 * that is yet to be made is for `postgres`, else for `nobody`.
 */
export function databaseUser(dataFolder: string): RunAs {
  if (process.getuid?.() !== 0) return {};
  const found = fs.statSync(clusterIn(dataFolder), { throwIfNoEntry: false });
  if (found && found.uid !== 0) return { uid: found.uid, gid: found.gid };
  const users = fs
    .readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user =
    users.find((fields) => fields[0] === "postgres") ?? users.find((fields) => fields[0] === "nobody");
  if (!user) {
    throw new StartError(
      "O banco de dados embutido não roda como root e este sistema não tem o usuário «postgres» nem «nobody». " +
        "Inicie o Recado com um usuário comum ou defina DATABASE_URL.",
    );
  }
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** Asks the kernel as that user, so that modes, groups and access lists all count. */
export function canReach(folder: string, user: RunAs): boolean {
  if (user.uid === undefined) return true;
  const probe = spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], { ...user, cwd: "/", stdio: "ignore" });
  return probe.status === 0;
}

/** Makes a folder that only the database's user may enter. */
export function ownFolder(folder: string, user: RunAs): void {
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.chmodSync(folder, 0o700);
    if (user.uid !== undefined && user.gid !== undefined) fs.chownSync(folder, user.uid, user.gid);
  } catch (error) {
    // Made by another user, as when a command ran as root.
    throw new StartError(
      `A pasta ${folder} não pode ser usada pelo banco de dados: ${systemReason(error)}. ` +
        "Inicie o Recado com o usuário de quem ela é, ou devolva-a ao usuário que o inicia (chown -R).",
    );
  }
}
