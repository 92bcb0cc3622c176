import fs from "node:fs";
import path from "node:path";

/**
 * The product's folder, in which its built page, its migrations and its package.json lie. Looked for upwards: this program runs from its
 * sources and from what `npm run build` makes of them, which are not equally deep in it.
 */
export const ROOT_FOLDER = folderWithPackage(import.meta.dirname);

function folderWithPackage(folder: string): string {
  return fs.existsSync(path.join(folder, "package.json")) ? folder : folderWithPackage(path.dirname(folder));
}
