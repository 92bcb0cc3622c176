import fs from "node:fs";
import path from "node:path";

/**
 * Where what belongs to this program lies that is no code: package.json, the migrations, the terms. Looked for upwards: it runs from its
 * sources, in which that is the product's folder, and from what `npm run build` makes of them, which brings its own along. What is started
 * anew between a new version's coming and its build is the old one in all of this; it must not do to the database what it knows nothing of.
 */
export const OWN_FOLDER = folderWith("package.json", import.meta.dirname);

/** The product's folder, in which its built page lies. */
export const ROOT_FOLDER = folderWith("package-lock.json", import.meta.dirname);

function folderWith(name: string, folder: string): string {
  return fs.existsSync(path.join(folder, name)) ? folder : folderWith(name, path.dirname(folder));
}
