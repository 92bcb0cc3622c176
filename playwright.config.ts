import { defineConfig } from "@playwright/test";
import { browser } from "./tests/e2e/support/browser.ts";

/** Each test starts the product it needs (tests/support/server.ts): the browser is all that is shared. */
export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  // A browser, a server and a database each: more of them at once only wait for one another on a small machine.
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  retries: 0,
  reporter: [["list"]],
  use: {
    locale: "pt-BR",
    timezoneId: "America/Sao_Paulo",
    launchOptions: await browser(),
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
  },
});
