import { build } from "vite";
import { Language } from "../src/contract/accounts.ts";
import { buildServer } from "./build-server.ts";

const PARTS = {
  /** One page for each language: dist/pt-BR and dist/en. */
  page: () => Promise.all(Language.options.map((language) => build({ mode: language, logLevel: "warn" }))),
  server: () => buildServer("src/server/main.ts", "dist/server"),
};

const named = Object.entries(PARTS).filter(([name]) => process.argv.includes(name));
// `node scripts/build.ts` without a name builds all.
const parts = named.length ? named : Object.entries(PARTS);
await Promise.all(parts.map(([, part]) => part()));
