import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // All know light-dark(), on which the two themes rest; older targets would have it rewritten.
    target: ["chrome123", "edge123", "firefox121", "safari17.5"],
    // An inlined asset would be a data: address, which the page's policy does not allow for scripts and fonts.
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": "http://127.0.0.1:3000", "/Modelo.csv": "http://127.0.0.1:3000" } },
});
