import { build } from "vite";
import { Language } from "../src/contract/accounts.ts";

// One page for each language, both at once: dist/pt-BR and dist/en.
await Promise.all(Language.options.map((language) => build({ mode: language, logLevel: "warn" })));
