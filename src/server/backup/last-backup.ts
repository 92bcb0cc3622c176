import fs from "node:fs";
import path from "node:path";

export type LastBackup = { madeAt: string; bytes: number };

/** Not in the database, which must equal its copy. */
const fileIn = (dataFolder: string) => path.join(dataFolder, "last-backup.json");

/** Never throws: the copy exists even if this note fails. */
export function noteBackup(dataFolder: string, made: LastBackup): void {
  try {
    fs.writeFileSync(fileIn(dataFolder), JSON.stringify(made));
  } catch {
    // A foreign folder: the status will not show this copy.
  }
}

export function readLastBackup(dataFolder: string): LastBackup | null {
  try {
    const { madeAt, bytes } = JSON.parse(fs.readFileSync(fileIn(dataFolder), "utf8")) as LastBackup;
    return { madeAt: String(madeAt), bytes: Number(bytes) };
  } catch {
    return null;
  }
}
