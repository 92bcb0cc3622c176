import fs from "node:fs";
import path from "node:path";

const COMMON = ["src/contract", "src/domain", "scripts", "package-lock.json"];
/** What each part is built from, and what is there when it is. */
const PARTS = {
  page: {
    from: [...COMMON, "src/web", "src/server/http/first-files.ts", "public", "index.html", "vite.config.ts"],
    to: ["dist/pt-BR/index.html", "dist/en/index.html"],
  },
  server: { from: [...COMMON, "src/server"], to: ["dist/server/main.js"] },
};

/** Those parts that are not built, or from other sources than are there now, as `scripts/build.ts` takes them. */
export function staleParts(root = ".") {
  const ages = (places) => places.map((place) => newest(path.join(root, place)));
  const stale = ({ from, to }) => Math.min(...ages(to)) < Math.max(...ages(from));
  return Object.keys(PARTS).filter((part) => stale(PARTS[part]));
}

function newest(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...fs.readdirSync(place).map((name) => newest(path.join(place, name))));
}
