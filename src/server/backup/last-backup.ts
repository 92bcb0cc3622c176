import fs from "node:fs";
import path from "node:path";

/** The newest copy that was made beside this data folder, wherever it is now. */
export type LastBackup = { madeAt: string; bytes: number };

/** Not in the database: a copy is to be what it was copied from, row by row. */
const fileIn = (dataFolder: string) => path.join(dataFolder, "last-backup.json");

/** Never fails: the copy is made, whether or not it can be noted. */
export function noteBackup(dataFolder: string, made: LastBackup): void {
  try {
    fs.writeFileSync(fileIn(dataFolder), JSON.stringify(made));
  } catch {
    // Somebody else's folder: the status will not know of it.
  }
}

/** Null: none that is known here. */
export function readLastBackup(dataFolder: string): LastBackup | null {
  try {
    const { madeAt, bytes } = JSON.parse(fs.readFileSync(fileIn(dataFolder), "utf8")) as LastBackup;
    return { madeAt: String(madeAt), bytes: Number(bytes) };
  } catch {
    return null;
  }
}
