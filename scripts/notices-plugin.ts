import type { Plugin } from "vite";

const LIBRARY = /\/sonner\/dist\/index\.mjs$/;
const PUTS_STYLES = /^__insertCSS\(.*\);$/m;

/**
 * Takes the styles out of the script of the notices' library, which every screen brings: they come as a file of styles (toast.tsx imports
 * it), which weighs less and is not run.
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
