import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const COMMON = ["src/contract", "src/domain", "scripts", "package-lock.json"];
const PARTS = {
  page: {
    from: [...COMMON, "src/web", "public", "index.html", "vite.config.ts"],
    to: ["dist/pt-BR/index.html", "dist/en/index.html"],
  },
  server: { from: [...COMMON, "src/server", "db/migrations", "package.json"], to: ["dist/server/main.js"] },
};

const stampFile = (part, root) => path.join(root, "dist", `${part}.sources`);

/**
 * Names, sizes and ctimes, which are quick to read and cannot be set, plus the content, which a copy keeps.
 */
function stampOf(part, root = ".") {
  const files = filesOf(part, root);
  return `${seen(files)}\n${read(files)}\n`;
}

/**
 * Parts not built from the current sources. Compared for equality, not age: an archive of another version
 * brings its own times.
 */
export function staleParts(root = ".") {
  return Object.keys(PARTS).filter((part) => !isFresh(part, root));
}

function isFresh(part, root) {
  const file = stampFile(part, root);
  const built = [file, ...PARTS[part].to.map((place) => path.join(root, place))];
  if (!built.every((place) => fs.existsSync(place))) return false;
  const [seenThen, readThen] = fs.readFileSync(file, "utf8").split("\n");
  const files = filesOf(part, root);
  return seen(files) === seenThen || read(files) === readThen;
}

/**
 * Builds, then moves into place and writes the stamp, so that a part counts as built neither from sources
 * that changed during the build nor when it was interrupted.
 */
export async function buildWithStamps(parts, build, use, root = ".") {
  const stamps = parts.map((part) => stampOf(part, root));
  await build();
  for (const part of parts) fs.rmSync(stampFile(part, root), { force: true });
  use();
  for (const [at, part] of parts.entries()) fs.writeFileSync(stampFile(part, root), stamps[at]);
}

function filesOf(part, root) {
  return PARTS[part].from.flatMap((place) => filesBelow(place, root));
}

function filesBelow(name, root) {
  const file = path.join(root, name);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [{ name, file, size: stat.size, at: stat.ctimeMs }];
  const names = fs.readdirSync(file).sort();
  return names.flatMap((each) => filesBelow(`${name}/${each}`, root));
}

const hash = (parts) => parts.reduce((sum, part) => sum.update(part), createHash("sha256")).digest("hex");
const seen = (files) => hash(files.map(({ name, size, at }) => `${name}\0${size}\0${at}\0`));
const read = (files) =>
  hash(files.flatMap(({ name, size, file }) => [`${name}\0${size}\0`, fs.readFileSync(file)]));
