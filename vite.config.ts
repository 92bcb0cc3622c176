import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { cssModules } from "./scripts/css-modules.ts";
import { messagesPlugin } from "./scripts/messages-plugin.ts";
import { Language } from "./src/contract/accounts.ts";

/** Without it each icon that two screens share is a file, and a screen makes 30 requests more. Those of kinds of files stay out: sign-in has none. */
const ICONS = {
  name: "icons",
  test: /lucide-react(?!.*\/(image|mic|sticker|video)\.mjs$)/,
  minShareCount: 3,
};

/**
 * Base styles and shared looks in one file, which the page links first. Otherwise the order of equal rules would
 * follow the order in which screens are opened.
 */
const LOOKS = { name: "looks", test: /src\/web\/(styles\/[\w-]+\.css|ui\/[\w-]+\.module\.css)$/ };

export default defineConfig(({ mode }) => {
  const language = Language.catch("pt-BR").parse(mode);
  return {
    plugins: [messagesPlugin(language), react()],
    css: { modules: cssModules },
    build: {
      outDir: `dist/${language}`,
      // Both languages are served side by side, and an immutable address must mean one of them.
      assetsDir: `assets/${language}`,
      emptyOutDir: true,
      // These support light-dark(), on which both themes rest; older targets would have it rewritten.
      target: ["chrome123", "edge123", "firefox121", "safari17.5"],
      // Inlined assets are data: addresses, which the page's policy forbids for scripts and fonts.
      assetsInlineLimit: 0,
      rolldownOptions: {
        output: { codeSplitting: { groups: [LOOKS, ICONS] } },
        // On a slow machine it would print plugin times to the person who starts the product.
        checks: { pluginTimings: false },
      },
    },
    server: { proxy: { "/api": "http://127.0.0.1:3000", "/Modelo.csv": "http://127.0.0.1:3000" } },
  };
});
