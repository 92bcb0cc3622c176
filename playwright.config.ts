import { defineConfig } from "@playwright/test";
import { browser } from "./tests/e2e/support/browser.ts";

/** Each worker starts one product (tests/e2e/support/product.ts); accounts keep tests apart. */
export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "tests/e2e/support/global-setup.ts",
  outputDir: "test-results",
  // Each worker has a browser, a server and a database, which wait for one another about as much as they
  // compute: one worker more than a small machine has processors.
  workers: 3,
  // Generous: an answer that comes is never waited for longer than it takes, and a busy machine must not fail
  // tests.
  timeout: 480_000,
  expect: { timeout: 120_000 },
  forbidOnly: true,
  retries: 0,
  reporter: [["list"], ["./tests/support/browser-times.ts"]],
  use: {
    locale: "pt-BR",
    timezoneId: "America/Sao_Paulo",
    // Otherwise a missing element would use up the whole test's time.
    actionTimeout: 120_000,
    launchOptions: await browser(),
    // Tracing costs a fifth of the run; use `--trace on` to look for an error.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
