import os from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/support/longest-first.ts";

/**
 * Tests of features get all they need and leave nothing behind, so their files share a process that loads the
 * product once: a third of the time.
 */
const TOGETHER = [
  "src/domain/**/*.test.ts",
  "src/server/{accounts,agents,chat,contacts,dashboard,files,gateways,http}/*.test.ts",
  "src/server/{metrics,notifications,opt-outs,search,usage}/*.test.ts",
  "src/server/sending/**/*.test.ts",
  // The excluded file uses a simulator that changes fetch and Baileys' trusted keys for the whole process, as
  // device tests do.
  "src/server/campaigns/!(test-send).test.ts",
];

const shared = {
  // Generous, for answers that never come: on a busy machine everything takes several times as long, which is
  // no error.
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
    // One PostgreSQL for the run; each test file gets its own database.
    globalSetup: ["tests/support/global-setup.ts"],
    // Files wait for database and child processes more than they compute: one worker more than processors.
    // Vitest's default, one less, leaves half of a two-core machine idle.
    maxWorkers: os.availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
  },
});
