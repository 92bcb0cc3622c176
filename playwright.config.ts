import { defineConfig } from "@playwright/test";
import { browser } from "./tests/e2e/support/browser.ts";

/** Each file starts the product it needs (tests/support/server.ts): the browser and the PostgreSQL are all that is shared. */
export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "tests/e2e/support/global-setup.ts",
  outputDir: "test-results",
  // A browser, a server and a database each, which wait for one another about as much as they compute: one more than a small machine has
  // processors, and no more on a larger one.
  workers: 3,
  // Whatever comes is not waited for longer than it takes; what never comes is no matter of seconds. A machine that does much else
  // beside the tests must not make them fail.
  timeout: 240_000,
  expect: { timeout: 45_000 },
  forbidOnly: true,
  retries: 0,
  reporter: [["list"]],
  use: {
    locale: "pt-BR",
    timezoneId: "America/Sao_Paulo",
    // Or one that is never there would take all the time of its test.
    actionTimeout: 60_000,
    launchOptions: await browser(),
    // Watching every step costs a fifth of the run, on the machine that tests; `--trace on` is there for who looks for a fault.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
