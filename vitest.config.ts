import os from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/support/longest-first.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.ts"],
    exclude: ["tests/e2e/**", "node_modules/**"],
    // One PostgreSQL for the whole run; each test file gets a database of its own from it.
    globalSetup: ["tests/support/global-setup.ts"],
    // Files wait for their database and for processes of the product more than they compute: one more than there are processors.
    // Vitest's own rule, one less, leaves half of a machine of two idle.
    maxWorkers: os.availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Whatever comes is not waited for longer than it takes. These are for what never comes; on a machine that does much else beside
    // the tests everything takes several times as long, and that is no fault.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
  },
});
