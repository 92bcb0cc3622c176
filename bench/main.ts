import fs from "node:fs";
import { commandLine, numberOf, refuse } from "../tests/support/command-line.ts";
import { blocksWorkload } from "./blocks.ts";
import { deviceWorkload } from "./device.ts";
import { exportWorkload } from "./export.ts";
import { frontWorkload } from "./front.ts";
import { importWorkload } from "./import.ts";
import { ledgerWorkload } from "./ledger.ts";
import { memoryWorkload } from "./memory.ts";
import { memoryDeviceWorkload } from "./memory-device.ts";
import { paceWorkload } from "./pace.ts";
import { peersWorkload } from "./peers.ts";
import { readsWorkload } from "./reads.ts";
import { goalLine, tableOf } from "./report.ts";
import { webhookWorkload } from "./webhook.ts";
import type { Goal, Run, Workload } from "./workload.ts";

/**
 * `npm run bench -- [workload…] [--rounds 3] [--n N] [--scale N] [--json FILE]`: each workload runs the limit of this machine and ours in turns,
 * checks every run for what is missing or there twice, and prints the figures, median and [least..most], and each goal on a line of
 * its own: `goal <name> <measured> <bound> met|missed`. Only ratios within one run mean anything: machines, and their hours, differ;
 * a ratio to a limit that did not hold still itself is not judged. docs/measurements.md says what each takes and keeps what it found.
 *
 * `dispatch` is `dispatch-ledger` (what recording costs: a campaign through the real lane to an instant HTTP gateway against the same
 * requests in a bare loop) and `dispatch-device` (a campaign through lane and device against a bare Baileys loop); `memory` is a campaign
 * to a million through the whole product, `memory-device` what a device keeps of those it has written to; `pace` is lanes with an
 * interval; `import` is a file of contacts against COPY, `export` the way back; `reads` is what screens ask, after ten thousand messages
 * and after ten million; `blocks` is how long the worst requests of strangers hold up the process; `webhook` is the receiver of gateways' events against parsing them alone; `front` is each screen in a slowed
 * browser against a bare page, and lists of a hundred thousand rows under a turning wheel; `peers` is what others would send the same
 * messages with (bench/peers). `--n` is the size of a run: messages, contacts, events, rows, ticks of a pace, whose time `--scale` lets
 * pass faster; `--json` keeps every run as it was.
 */
const WORKLOADS: readonly Workload[] = [
  ledgerWorkload,
  deviceWorkload,
  memoryWorkload,
  memoryDeviceWorkload,
  paceWorkload,
  importWorkload,
  exportWorkload,
  readsWorkload,
  webhookWorkload,
  blocksWorkload,
  frontWorkload,
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

/** A workload by its name, or several by what their names begin with. */
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

// What runs beside us is ended at our exit, which a signal alone would not bring about.
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
