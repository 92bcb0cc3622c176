import os from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/support/longest-first.ts";

/**
 * Features, which are given all that they need and leave nothing behind: their files share a process, which loads the product once instead
 * of once for each file, a third of what they took.
 */
const TOGETHER = [
  "src/domain/**/*.test.ts",
  "src/server/{accounts,agents,chat,contacts,dashboard,files,gateways,http}/*.test.ts",
  "src/server/{metrics,notifications,opt-outs,search,usage}/*.test.ts",
  "src/server/sending/**/*.test.ts",
  // The one left out adopts a simulator, which changes what fetch is and whom Baileys trusts, as those of devices do.
  "src/server/campaigns/!(test-send).test.ts",
];

const shared = {
  // Whatever comes is not waited for longer than it takes. These are for what never comes; on a machine that does much else beside
  // the tests everything takes several times as long, and that is no fault.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  restoreMocks: true,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "apart",
          include: ["src/**/*.test.{ts,tsx}", "simulators/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: ["tests/e2e/**", ...TOGETHER],
        },
      },
      { test: { ...shared, name: "together", include: TOGETHER, isolate: false } },
    ],
    // One PostgreSQL for the whole run; each test file gets a database of its own from it.
    globalSetup: ["tests/support/global-setup.ts"],
    // Files wait for their database and for processes of the product more than they compute: one more than there are processors.
    // Vitest's own rule, one less, leaves half of a machine of two idle.
    maxWorkers: os.availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
  },
});
