import path from "node:path";
import type { CSSModulesOptions } from "vite";

const ENDING = ".module.css";

const inPage = (name: string, file: string) => `${path.basename(file, ENDING)}_${name}`;

/** `.card-title` in card.module.css is `styles.cardTitle` in code and `card_card-title` in the page. */
export const cssModules: CSSModulesOptions = {
  localsConvention: "camelCaseOnly",
  generateScopedName: inPage,
};

export const inCode = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
