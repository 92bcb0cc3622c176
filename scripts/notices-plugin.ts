import type { Plugin } from "vite";

const LIBRARY = /\/sonner\/dist\/index\.mjs$/;
const PUTS_STYLES = /^__insertCSS\(.*\);$/m;

/**
 * Moves the styles of the toast library from its script into a style sheet (imported by toast.tsx), which
 * weighs less.
 */
export function noticesPlugin(): Plugin {
  return {
    name: "recado-notices",
    apply: "build",
    transform(code, id) {
      if (!LIBRARY.test(id)) return null;
      if (!PUTS_STYLES.test(code)) this.error("sonner no longer puts its styles as it did; see toast.tsx");
      return { code: code.replace(PUTS_STYLES, ""), map: null };
    },
  };
}
