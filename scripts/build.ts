import path from "node:path";
import { build } from "vite";
import { Language } from "../src/contract/accounts.ts";
import { systemReason } from "../src/server/base/start-error.ts";
import { bundleServer, placeServer } from "./build-server.ts";
import { compressFiles } from "./compress-files.ts";
import { openDraft, replaceFolder } from "./draft.ts";
import { buildWithStamps } from "./stale.mjs";

const DIST = path.resolve("dist");

/** What the server reads by its place in the product (`src/server/base/root-folder.ts`). */
const WITH_SERVER = [
  "package.json",
  "db/migrations",
  "src/server/accounts/default-terms.md",
  "src/server/accounts/default-terms.en.md",
];

type Part = { build(draft: string): Promise<unknown>; use(draft: string): void };
const PARTS: Record<"page" | "server", Part> = {
  page: {
    build: (draft) => Promise.all(Language.options.map((mode) => buildPage(mode, path.join(draft, mode)))),
    use: (draft) => {
      for (const language of Language.options)
        replaceFolder(path.join(draft, language), path.join(DIST, language));
    },
  },
  server: {
    build: (draft) => bundleServer("src/server/app/main.ts", path.join(draft, "server"), WITH_SERVER),
    use: (draft) => placeServer(path.join(draft, "server"), path.join(DIST, "server")),
  },
};

async function buildPage(mode: Language, outDir: string): Promise<void> {
  await build({ mode, logLevel: "warn", build: { outDir } });
  await compressFiles(outDir);
}

async function renew(names: (keyof typeof PARTS)[]): Promise<void> {
  const draft = openDraft(DIST);
  const parts = names.map((name) => PARTS[name]);
  await buildWithStamps(
    names,
    async () => {
      // Waits for all parts: otherwise one could still write into the draft while it is removed.
      const results = await Promise.allSettled(parts.map((part) => part.build(draft)));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
    () => {
      for (const part of parts) part.use(draft);
    },
  );
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

const all = Object.keys(PARTS) as (keyof typeof PARTS)[];
const named = all.filter((name) => process.argv.includes(name));
await renew(named.length ? named : all).catch((error: unknown) => {
  process.stderr.write(`Não foi possível construir em ${DIST}: ${systemReason(error)}\n`);
  process.exit(1);
});
