import fs from "node:fs";
import { commandLine, numberOf, refuse } from "../tests/support/command-line.ts";
import { blocksWorkload } from "./blocks.ts";
import { deviceWorkload } from "./device.ts";
import { exportWorkload } from "./export.ts";
import { frontWorkload } from "./front.ts";
import { frontPictureWorkload } from "./front-picture.ts";
import { importWorkload } from "./import.ts";
import { importKnownWorkload } from "./import-known.ts";
import { ledgerWorkload } from "./ledger.ts";
import { memoryVideoWorkload, memoryWorkload } from "./memory.ts";
import { memoryDeviceWorkload } from "./memory-device.ts";
import { paceWorkload } from "./pace.ts";
import { peersWorkload } from "./peers.ts";
import { peopleWorkload } from "./people.ts";
import { readsWorkload } from "./reads.ts";
import { goalLine, tableOf } from "./report.ts";
import { webhookWorkload } from "./webhook.ts";
import type { Goal, Run, Workload } from "./workload.ts";

/**
 * `npm run bench -- [workload…] [--rounds 3] [--n N] [--scale N] [--json FILE]` prints medians, [least..most]
 * and one line per goal. Only ratios within one run mean anything: machines differ. docs/measurements.md
 * describes the workloads.
 */
const WORKLOADS: readonly Workload[] = [
  ledgerWorkload,
  deviceWorkload,
  memoryWorkload,
  memoryVideoWorkload,
  memoryDeviceWorkload,
  paceWorkload,
  importWorkload,
  importKnownWorkload,
  exportWorkload,
  readsWorkload,
  peopleWorkload,
  webhookWorkload,
  blocksWorkload,
  frontWorkload,
  frontPictureWorkload,
  peersWorkload,
];

const USAGE = `npm run bench -- [workload…] [--rounds 3] [--n N] [--scale N] [--json FILE]
workloads: ${WORKLOADS.map(({ name }) => name).join(", ")}`;

const { values, positionals } = commandLine(USAGE, {
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    n: { type: "string" },
    scale: { type: "string" },
    json: { type: "string" },
  },
});

const isMeant = (asked: string, name: string) => name === asked || name.startsWith(`${asked}-`);
const unknown = positionals.filter((asked) => !WORKLOADS.some(({ name }) => isMeant(asked, name)));
if (unknown.length > 0) {
  refuse(`unknown: ${unknown.join(", ")}; known: ${WORKLOADS.map(({ name }) => name).join(", ")}`);
}

const size = {
  rounds: numberOf(values, "rounds", 1) ?? 3,
  n: numberOf(values, "n", 1),
  scale: numberOf(values, "scale", 0.1),
};

// A signal alone would skip the exit handlers that end child processes.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const say = (text: string) => process.stderr.write(`${text}\n`);
const runs: Run[] = [];
const goals: Goal[] = [];
for (const workload of WORKLOADS) {
  if (positionals.length > 0 && !positionals.some((asked) => isMeant(asked, workload.name))) continue;
  await workload.run({
    ...size,
    note(run) {
      runs.push(run);
      say(`  ${run.variant}: ${JSON.stringify(run.figures)}`);
    },
    say,
    goal: (goal) => goals.push(goal),
  });
}

process.stdout.write(`${tableOf(runs)}\n\n${goals.map(goalLine).join("\n")}\n`);
if (values.json) fs.writeFileSync(values.json, `${JSON.stringify({ runs, goals }, null, 1)}\n`);
