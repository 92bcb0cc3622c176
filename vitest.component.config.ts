import os from "node:os";
import react from "@vitejs/plugin-react";
import { defineBrowserCommand, playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { cssModules } from "./scripts/css-modules.ts";
import { messagesPlugin } from "./scripts/messages-plugin.ts";
import { browser } from "./tests/e2e/support/browser.ts";

const launchOptions = await browser();

type Media = {
  media?: "print" | null;
  colorScheme?: "light" | "dark" | null;
  forcedColors?: "active" | null;
  reducedMotion?: "reduce" | "no-preference";
};

const emulateMedia = defineBrowserCommand<[Media]>(({ page }, media) => page.emulateMedia(media));
const mouse = defineBrowserCommand<["down" | "up"]>(({ page }, button) => page.mouse[button]());

/** Bundled before the first test: one found later would reload the page under a running test. */
const PACKAGES = [
  "@radix-ui/react-dialog",
  "@radix-ui/react-dropdown-menu",
  "@radix-ui/react-tabs",
  "@radix-ui/react-tooltip",
  "@tanstack/react-query",
  "@tanstack/react-router",
  "@tanstack/react-virtual",
  "axe-core",
  "clsx",
  "libphonenumber-js/max",
  "lucide-react",
  "qrcode.react",
  "react",
  "react/jsx-dev-runtime",
  "react/jsx-runtime",
  "react-dom",
  "react-dom/client",
  "sonner",
  "temporal-polyfill",
  "vitest-browser-react/pure",
  "zod",
];

const TOUCH = "tests/component/touch/**/*.test.tsx";

const chrome = (context: { hasTouch?: boolean } = {}) =>
  playwright({
    launchOptions,
    contextOptions: { locale: "pt-BR", timezoneId: "America/Sao_Paulo", reducedMotion: "reduce", ...context },
    actionTimeout: 20_000,
  });

/** Components and screens in the browser, against a fake server: neither a build nor a database is needed. */
export default defineConfig({
  plugins: [messagesPlugin("pt-BR"), react()],
  css: { modules: cssModules },
  optimizeDeps: { include: PACKAGES, noDiscovery: true },
  test: {
    name: "component",
    include: ["tests/component/**/*.test.tsx"],
    setupFiles: ["tests/component/support/setup.ts"],
    // Generous, for a busy machine: an answer that comes is never waited for longer than it takes.
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    restoreMocks: true,
    maxWorkers: os.availableParallelism(),
    browser: {
      enabled: true,
      headless: true,
      provider: chrome(),
      instances: [
        { browser: "chromium", exclude: [TOUCH] },
        // A page of its own: once emulated, a finger leaves no pointer behind for the tests after it.
        { browser: "chromium", name: "touch", include: [TOUCH], provider: chrome({ hasTouch: true }) },
      ],
      viewport: { width: 1440, height: 900 },
      testerHtmlPath: "tests/component/support/tester.html",
      // As in Playwright: a text is found by a part of it.
      locators: { exact: false },
      screenshotFailures: false,
      commands: { emulateMedia, mouse },
    },
  },
});
