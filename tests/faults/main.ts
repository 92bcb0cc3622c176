import { commandLine } from "../support/command-line.ts";
import { allFaults, RESULTS } from "./all-main.ts";
import { deviceFaults } from "./device-main.ts";
import { gatewayFaults } from "./gateway-main.ts";
import { KINDS as ALL_KINDS } from "./kinds.ts";

/**
 * `npm run faults -- --runs 60 --seed 1 [--transport gateway]`: campaigns with the server killed at named steps and at random, under what
 * goes wrong on the way (device: lost, late and refused acknowledgements, cut sockets; gateway: lost, half and false answers, webhooks
 * late, twice or never), pauses and cancels; the ledger is then compared with what really went out.
 *
 * `npm run faults -- --all --seed 40 [--from 12] [--runs 8] [--minutes 15] [--kinds database,wires] [--results FILE]`: every kind of run
 * (these two, the database killed, wires that fail, several processes), from seed 12 to 40. Each run leaves a line in the results file
 * (by default in the system's folder for temporary files); the sums over the whole file are told at the end.
 */
const USAGE = `npm run faults -- [--runs 60] [--seed 1] [--transport device|gateway]
npm run faults -- --all [--seed 40] [--from 12] [--runs 8] [--minutes 15] [--kinds ${Object.keys(ALL_KINDS).join(",")}] [--results FILE]`;

const { values } = commandLine(USAGE, {
  options: {
    all: { type: "boolean", default: false },
    kinds: { type: "string" },
    minutes: { type: "string" },
    results: { type: "string", default: RESULTS },
    transport: { type: "string", default: "device" },
    runs: { type: "string" },
    seed: { type: "string", default: "1" },
    from: { type: "string" },
  },
});
const KINDS: Readonly<Record<string, typeof deviceFaults>> = { device: deviceFaults, gateway: gatewayFaults };

function refuse(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

const seed = Number(values.seed);
if (values.all) {
  const known = Object.keys(ALL_KINDS);
  const kinds = values.kinds?.split(",") ?? known;
  if (kinds.some((kind) => !known.includes(kind))) refuse(`--kinds are some of ${known.join(",")}`);
  const code = await allFaults({
    ...{ seed, kinds, from: Number(values.from ?? 1), runs: Number(values.runs ?? 8), file: values.results },
    minutes: Number(values.minutes ?? Number.POSITIVE_INFINITY),
  });
  // Whatever a run that failed left open keeps nobody here.
  process.exit(code);
} else {
  const run = KINDS[values.transport];
  if (!run) refuse(`--transport is one of ${Object.keys(KINDS).join(", ")}`);
  process.exitCode = await run({ runs: Number(values.runs ?? 60), seed, first: Number(values.from ?? 0) });
}
