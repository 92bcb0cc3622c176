import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Plugin } from "vite";

const PACKAGE = "lucide-react";
const IMPORT = /^import \{([^}]+)\} from "lucide-react";$/gm;

/**
 * Each icon is imported from its own file. Through the common index the bundler would load every icon of
 * every screen with the first page.
 */
export function iconsPlugin(): Plugin {
  const files = iconFiles();
  return {
    name: "recado-icons",
    enforce: "pre",
    apply: "build",
    transform(code, id) {
      if (!/\.tsx?$/.test(id) || !code.includes(`"${PACKAGE}"`)) return null;
      return { code: withOwnImports(code, files), map: null };
    },
  };
}

/** `import { Check, X as Close } from "lucide-react"` becomes one import each, on the same line. */
export function withOwnImports(code: string, files: ReadonlyMap<string, string>): string {
  return code.replaceAll(IMPORT, (whole, names: string) => {
    const each = names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => {
        const [icon = "", local = icon] = name.split(" as ");
        const file = files.get(icon);
        return file && `import ${local} from "${PACKAGE}/icons/${file}";`;
      });
    return each.includes(undefined) ? whole : each.join(" ") + "\n".repeat(whole.split("\n").length - 1);
  });
}

export function iconFiles(): Map<string, string> {
  const root = path.dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
  const index = fs.readFileSync(path.join(root, "dist", "esm", `${PACKAGE}.mjs`), "utf8");
  const files = new Map<string, string>();
  for (const [, names = "", file = ""] of index.matchAll(/^export \{(.+)\} from '\.\/icons\/(.+)\.mjs';$/gm))
    for (const [, name = ""] of names.matchAll(/default as (\w+)/g)) files.set(name, file);
  return files;
}
