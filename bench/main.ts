import fs from "node:fs";
import { parseArgs } from "node:util";
import { importWorkload } from "./import.ts";
import { ledgerWorkload } from "./ledger.ts";
import { goalLine, tableOf } from "./report.ts";
import type { Goal, Run, Workload } from "./workload.ts";

/**
 * `npm run bench -- [workload…] [--rounds 3] [--n 1000000] [--json FILE]`: each workload runs the limit of this machine and ours in
 * turns, and prints the ratio. Only ratios within one run mean anything: machines, and their hours, differ.
 */
const WORKLOADS: readonly Workload[] = [ledgerWorkload, importWorkload];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    n: { type: "string" },
    json: { type: "string" },
  },
});

const unknown = positionals.filter((name) => !WORKLOADS.some((workload) => workload.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `unknown: ${unknown.join(", ")}; known: ${WORKLOADS.map(({ name }) => name).join(", ")}\n`,
  );
  process.exit(2);
}

const say = (text: string) => process.stderr.write(`${text}\n`);
const runs: Run[] = [];
const goals: Goal[] = [];
for (const workload of WORKLOADS) {
  if (positionals.length > 0 && !positionals.includes(workload.name)) continue;
  await workload.run({
    rounds: Number(values.rounds),
    n: values.n === undefined ? null : Number(values.n),
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
