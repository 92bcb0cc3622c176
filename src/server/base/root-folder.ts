import fs from "node:fs";
import path from "node:path";

/**
 * Folder with package.json, migrations and terms: the product's, or the build's copy. An old build restarted
 * during an update must use its own migrations.
 */
export const OWN_FOLDER = folderWith("package.json", import.meta.dirname);

export const ROOT_FOLDER = folderWith("package-lock.json", import.meta.dirname);

function folderWith(name: string, folder: string): string {
  return fs.existsSync(path.join(folder, name)) ? folder : folderWith(name, path.dirname(folder));
}
