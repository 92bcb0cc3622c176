import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { StartError, systemReason } from "../base/start-error.ts";

/** Empty: our own user. */
export type RunAs = { uid?: number; gid?: number };

export const clusterIn = (dataFolder: string) => path.join(dataFolder, "postgres");

/**
 * PostgreSQL refuses root, so root runs it as the data folder's owner, the only user who may open it; a new
 * one as `postgres` or the unprivileged user.
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

/** Asks the kernel as that user, so modes, groups and ACLs count. */
export function canReach(folder: string, user: RunAs): boolean {
  if (user.uid === undefined) return true;
  const probe = spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], { ...user, cwd: "/", stdio: "ignore" });
  return probe.status === 0;
}

export function ownFolder(folder: string, user: RunAs): void {
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.chmodSync(folder, 0o700);
    if (user.uid !== undefined && user.gid !== undefined) fs.chownSync(folder, user.uid, user.gid);
  } catch (error) {
    // As after a command run as root.
    throw new StartError(
      `A pasta ${folder} não pode ser usada pelo banco de dados: ${systemReason(error)}. ` +
        "Inicie o Recado com o usuário de quem ela é, ou devolva-a ao usuário que o inicia (chown -R).",
    );
  }
}
