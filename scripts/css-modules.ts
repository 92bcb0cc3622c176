import fs from "node:fs";
import path from "node:path";
import type { CSSModulesOptions, Plugin } from "vite";

const ENDING = ".module.css";

const inPage = (name: string, file: string) => `${path.basename(file, ENDING)}_${name}`;

/** `.card-title` in card.module.css is `styles.cardTitle` in code and `card_card-title` in the page. */
export const cssModules: CSSModulesOptions = {
  localsConvention: "camelCaseOnly",
  generateScopedName: inPage,
};

export const inCode = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The names alone: Vite's own plugin for styles does not start where only one module is imported. */
export function classNamesPlugin(): Plugin {
  return {
    name: "recado-class-names",
    enforce: "pre",
    resolveId: (id, importer) =>
      id.endsWith(ENDING) && importer ? `\0${path.resolve(path.dirname(importer), id)}.js` : null,
    load(id) {
      if (!id.startsWith("\0") || !id.endsWith(`${ENDING}.js`)) return null;
      const file = id.slice(1, -".js".length);
      const names = fs.readFileSync(file, "utf8").matchAll(/\.([a-z][\w-]*)/g);
      const entries = [...names].map(([, name = ""]) => [inCode(name), inPage(name, file)]);
      return `export default ${JSON.stringify(Object.fromEntries(entries))}`;
    },
  };
}
