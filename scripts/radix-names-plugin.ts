import type { Plugin } from "vite";

const OF_A_CLASS = /static \{\s*__name\(this, "[^"\n]*"\);\s*\}/g;
const OF_A_FUNCTION = /^\s*__name\([\w$]+, "[^"\n]*"\);$/gm;

/**
 * Radix's packages call, beside each function and class, what keeps its name. To a bundler such a call does something, and whatever it names
 * stays in the page, used or not. Without them it leaves out what no screen uses.
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
