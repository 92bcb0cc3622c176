import os from "node:os";
import react from "@vitejs/plugin-react";
import { defineBrowserCommand, playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { cssModules } from "./scripts/css-modules.ts";
import { messagesPlugin } from "./scripts/messages-plugin.ts";
import { browser } from "./tests/e2e/support/browser.ts";
import { FileTimes } from "./tests/support/file-times.ts";
import { LongestFirst } from "./tests/support/longest-first.ts";

// As the product ships: React's development build takes a stack for each element, a fifth of the time.
process.env.NODE_ENV = "production";

const launchOptions = await browser();

type Media = {
  media?: "print" | null;
  colorScheme?: "light" | "dark" | null;
  forcedColors?: "active" | null;
  reducedMotion?: "reduce" | "no-preference";
};

const emulateMedia = defineBrowserCommand<[Media]>(({ page }, media) => page.emulateMedia(media));
const mouse = defineBrowserCommand<["down" | "up"]>(({ page }, button) => page.mouse[button]());
const keys = defineBrowserCommand<[key: string, times: number]>(async ({ page }, key, times) => {
  for (let pressed = 0; pressed < times; pressed++) await page.keyboard.press(key);
});

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
  "react/jsx-runtime",
  "react-dom",
  "react-dom/client",
  "sonner",
  "temporal-polyfill",
  "vitest-browser-react/pure",
  "zod",
];

const TOUCH = "tests/component/touch/**/*.test.tsx";

/** The product takes the size of text once, so each of these files has its own page. */
const TEXT_SIZES = ["tests/component/{larger-text,text-half-larger}.test.tsx"];

const chrome = (context: { hasTouch?: boolean } = {}) =>
  playwright({
    launchOptions,
    contextOptions: { locale: "pt-BR", timezoneId: "America/Sao_Paulo", reducedMotion: "reduce", ...context },
    actionTimeout: 60_000,
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
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
    reporters: ["default", new FileTimes("component")],
    // Pages wait for the browser's answers as well: one worker more than processors.
    maxWorkers: os.availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    browser: {
      enabled: true,
      headless: true,
      provider: chrome(),
      instances: [
        // A test leaves nothing behind, so files share a page, which loads the product once: a third less time.
        { browser: "chromium", exclude: [TOUCH, ...TEXT_SIZES], isolate: false },
        // A page of its own: once emulated, a finger leaves no pointer behind for the tests after it.
        { browser: "chromium", name: "touch", include: [TOUCH], provider: chrome({ hasTouch: true }) },
        { browser: "chromium", name: "text-sizes", include: TEXT_SIZES },
      ],
      viewport: { width: 1440, height: 900 },
      testerHtmlPath: "tests/component/support/tester.html",
      // As in Playwright: a text is found by a part of it.
      locators: { exact: false },
      screenshotFailures: false,
      commands: { emulateMedia, keys, mouse },
    },
  },
});
