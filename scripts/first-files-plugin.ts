import fs from "node:fs";
import path from "node:path";
import { type Plugin, runnerImport } from "vite";
import type { Language } from "../src/contract/accounts.ts";
import { FIRST_FILES, type FirstFiles } from "../src/server/http/first-files.ts";
import { messagesPlugin } from "./messages-plugin.ts";

const ROOT = path.join(import.meta.dirname, "..", "src", "web");
const ROUTER = path.join(ROOT, "app/router.tsx");
const START = path.join(ROOT, "app/main.tsx");
/** Sends the first requests; a separate script, so that it does not wait for the others. */
export const QUESTIONS = path.join(ROOT, "app/ask-first.ts");

const PAINT = path.join(ROOT, "app/first-paint.tsx");

type Screen = { path: string; file: string; framed: boolean };
type Chunk = {
  type: string;
  moduleIds?: string[];
  imports?: string[];
  viteMetadata?: { importedCss: Set<string> } | undefined;
};
type Bundle = Record<string, Chunk>;

export function screensOf(router: string): Screen[] {
  const lazy = new Map<string, string>();
  for (const [, name = "", file = ""] of router.matchAll(
    /const (\w+) = lazyScreen\(\s*\(\) => import\("([^"]+)"\)/g,
  ))
    lazy.set(name, file);
  return router.split(/^const /m).flatMap((text) => {
    const at = /\bpath: "([^"]+)"/.exec(text)?.[1];
    if (!text.includes("= createRoute(") || at === undefined) return [];
    const named = lazy.get(/\bcomponent: (\w+)\b(?!\()/.exec(text)?.[1] ?? "");
    const file = /\bimport\("([^"]+)"\)/.exec(text)?.[1] ?? named;
    if (!file) throw new Error(`router.tsx: no file for the screen at ${at}`);
    return [{ path: at, file, framed: text.includes("=> shell") }];
  });
}

/**
 * Writes each screen's files and first paint beside the page, for the server to put into its answer.
 * Otherwise a browser finds them only after the page's script has run.
 */
export function firstFilesPlugin(language: Language): Plugin {
  return {
    name: "recado-first-files",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "chunk", id: QUESTIONS, name: "ask-first" });
    },
    generateBundle: {
      // After Vite has removed the scripts that held only styles: those would not be served.
      order: "post",
      async handler(_, bundle) {
        const paint = await painter(language);
        const source = JSON.stringify(firstFiles(bundle, screensOf(fs.readFileSync(ROUTER, "utf8")), paint));
        this.emitFile({ type: "asset", fileName: FIRST_FILES, source });
      },
    },
  };
}

type Paint = (path: string, framed: boolean) => string;

async function painter(language: Language): Promise<Paint> {
  const { module } = await runnerImport<{ firstPaint: Paint }>(PAINT, {
    ...{ configFile: false, logLevel: "warn" },
    plugins: [messagesPlugin(language)],
  });
  return module.firstPaint;
}

function firstFiles(bundle: Bundle, screens: Screen[], paint: Paint): FirstFiles {
  const chunkOf = (module: string) => {
    const found = Object.keys(bundle).find((name) => bundle[name]?.moduleIds?.includes(module));
    if (!found) throw new Error(`the page has no file for ${module}`);
    return found;
  };
  const start = closure(bundle, [chunkOf(START)]);
  const questions = chunkOf(QUESTIONS);
  const asking = closure(bundle, [questions]).filter((name) => name !== questions);
  const frame = chunkOf(path.join(ROOT, "shell/shell.tsx"));
  return {
    questions: address(questions),
    screens: screens.map(({ path: at, file, framed }) => {
      const own = closure(bundle, [...(framed ? [frame] : []), chunkOf(path.join(ROOT, "app", file))]);
      const chunks = [...(framed ? asking : []), ...own].filter((name) => !start.includes(name));
      const styles = chunks.flatMap((name) => [...(bundle[name]?.viteMetadata?.importedCss ?? [])]);
      const scripts = [...new Set(chunks)].map(address);
      return {
        path: at,
        framed,
        scripts,
        styles: [...new Set(styles)].map(address),
        paint: paint(at, framed),
      };
    }),
  };
}

const address = (file: string) => `/${file}`;

function closure(bundle: Bundle, files: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (file: string, above: readonly string[]) => {
    if (found.has(file) || above.includes(file)) return;
    for (const each of bundle[file]?.imports ?? []) visit(each, [...above, file]);
    found.add(file);
  };
  for (const file of files) visit(file, []);
  return [...found];
}
