import type { Plugin } from "vite";

const OF_A_CLASS = /static \{\s*__name\(this, "[^"\n]*"\);\s*\}/g;
const OF_A_FUNCTION = /^\s*__name\([\w$]+, "[^"\n]*"\);$/gm;

/**
 * Removes Radix's calls that set the name of each function and class. To a bundler they are side effects,
 * which keep unused components in the page.
 */
export function radixNamesPlugin(): Plugin {
  return {
    name: "recado-radix-names",
    apply: "build",
    transform(code, id) {
      return /[/\\]@radix-ui[/\\]/.test(id) ? { code: withoutNames(code), map: null } : null;
    },
  };
}

export const withoutNames = (code: string) => code.replace(OF_A_CLASS, "").replace(OF_A_FUNCTION, "");
