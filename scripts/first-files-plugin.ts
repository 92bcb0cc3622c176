import fs from "node:fs";
import path from "node:path";
import type { Plugin } from "vite";
import { FIRST_FILES, type FirstFiles } from "../src/server/http/first-files.ts";

const ROOT = path.join(import.meta.dirname, "..", "src", "web");
const ROUTER = path.join(ROOT, "router.tsx");
const START = path.join(ROOT, "main.tsx");
/** Asks the first questions; a script of its own, so that it need not wait for the others. */
export const QUESTIONS = path.join(ROOT, "ask-first.ts");

type Screen = { path: string; file: string; framed: boolean };
type Chunk = {
  type: string;
  moduleIds?: string[];
  imports?: string[];
  viteMetadata?: { importedCss: Set<string> } | undefined;
};
type Bundle = Record<string, Chunk>;

/** The screens of the router by its source: the address of each, the file it is in, and whether the frame stands around it. */
export function screensOf(router: string): Screen[] {
  const lazy = new Map<string, string>();
  for (const [, name = "", file = ""] of router.matchAll(
    /const (\w+) = lazyRouteComponent\(\s*\(\) => import\("([^"]+)"\)/g,
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
 * Writes beside the page which files each screen is made of, so that the server can name them in its answer: else a browser learns of them
 * only when the page's script has run.
 */
export function firstFilesPlugin(): Plugin {
  return {
    name: "recado-first-files",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "chunk", id: QUESTIONS, name: "ask-first" });
    },
    generateBundle(_, bundle) {
      const source = JSON.stringify(firstFiles(bundle, screensOf(fs.readFileSync(ROUTER, "utf8"))));
      this.emitFile({ type: "asset", fileName: FIRST_FILES, source });
    },
  };
}

function firstFiles(bundle: Bundle, screens: Screen[]): FirstFiles {
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
      const own = closure(bundle, [...(framed ? [frame] : []), chunkOf(path.join(ROOT, file))]);
      const chunks = [...(framed ? asking : []), ...own].filter((name) => !start.includes(name));
      const styles = chunks.flatMap((name) => [...(bundle[name]?.viteMetadata?.importedCss ?? [])]);
      const scripts = [...new Set(chunks)].map(address);
      return { path: at, framed, scripts, styles: [...new Set(styles)].map(address) };
    }),
  };
}

const address = (file: string) => `/${file}`;

/** These files and all that they import at once, what is imported first. */
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
