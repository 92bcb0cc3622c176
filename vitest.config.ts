import os from "node:os";
import { defineConfig } from "vitest/config";
import { FileTimes } from "./tests/support/file-times.ts";
import { LongestFirst } from "./tests/support/longest-first.ts";

/**
 * Tests of features get all they need and leave nothing behind, so their files share a process that loads the
 * product once: a third of the time.
 */
const TOGETHER = [
  "src/domain/**/*.test.ts",
  // What is excluded replaces a module or a global object, or measures the memory of its process.
  "src/web/{assistant,connections,lib,messages,pages,palette,routes,ui}/**/!(*-en).test.ts",
  "src/server/accounts/!(export).test.ts",
  "src/server/files/!(images|upload-folder).test.ts",
  "src/server/{agents,backup,chat,contacts,dashboard,db,gateways,http,jobs}/*.test.ts",
  "src/server/{metrics,net,notifications,opt-outs,search,usage}/*.test.ts",
  "src/server/sending/**/*.test.ts",
  "src/server/transports/{content,gateway}/*.test.ts",
  "tests/{audit,contacts-import,limits,live-update-topics,owner-matrix,settings}.test.ts",
  "tests/{capitals,languages,spec-fields,spec-words}.test.ts",
  "tests/platform/{conformance,functions,has-selectors,language,licences,owners,styles,test-changed,walls}.test.ts",
  "tests/webhooks/!(faults|receiver|relay-memory|stream).test.ts",
  "src/server/campaigns/!(test-send).test.ts",
  "src/server/connections/!(routes).test.ts",
];

/**
 * Likewise, in processes of their own: each file's simulator changes fetch and Baileys' trusted keys for the
 * whole process.
 */
const PHONES = [
  // Uploads need the certificates of one simulator alone.
  "src/server/transports/device/!(device|fetch-file|media-upload|retry-request).test.ts",
  "src/server/campaigns/test-send.test.ts",
  "src/server/connections/routes.test.ts",
  "tests/chat.test.ts",
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
          exclude: ["tests/e2e/**", ...TOGETHER, ...PHONES],
        },
      },
      { test: { ...shared, name: "phones", include: PHONES, isolate: false } },
      { test: { ...shared, name: "together", include: TOGETHER, isolate: false } },
    ],
    // One PostgreSQL for the run; each test file gets its own database.
    globalSetup: ["tests/support/global-setup.ts"],
    // Files wait for database and child processes more than they compute: one worker more than processors.
    // Vitest's default, one less, leaves half of a two-core machine idle.
    maxWorkers: os.availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new FileTimes("tests")],
  },
});
