import { commandLine, numberOf, refuse } from "../support/command-line.ts";
import { allErrors, RESULTS } from "./all-main.ts";
import { deviceErrors } from "./device-main.ts";
import { gatewayFaults } from "./gateway-main.ts";
import { hostileFaults } from "./hostile/main.ts";
import { KINDS as ALL_KINDS } from "./kinds.ts";

/**
 * `npm run faults -- --runs 60 --seed 1 [--transport gateway]`, `--all` or `--kinds …`: campaigns under kills
 * and network errors; the ledger is then compared with what was really sent. Options: see USAGE.
 */
const USAGE = `npm run faults -- [--runs 60] [--seed 1] [--transport device|gateway]
npm run faults -- --kinds hostile [--attack F1]
npm run faults -- --all [--seed 40] [--from 12] [--runs 8] [--minutes 15] [--kinds ${Object.keys(ALL_KINDS).join(",")}] [--results FILE]`;

const { values } = commandLine(USAGE, {
  options: {
    all: { type: "boolean", default: false },
    kinds: { type: "string" },
    attack: { type: "string" },
    minutes: { type: "string" },
    results: { type: "string", default: RESULTS },
    transport: { type: "string", default: "device" },
    runs: { type: "string" },
    seed: { type: "string" },
    from: { type: "string" },
  },
});
const KINDS: Readonly<Record<string, typeof deviceErrors>> = { device: deviceErrors, gateway: gatewayFaults };

const seed = numberOf(values, "seed", 0) ?? 1;
const from = numberOf(values, "from", 0);
const runs = numberOf(values, "runs", 1);
const minutes = numberOf(values, "minutes", 0) ?? Number.POSITIVE_INFINITY;
if (values.kinds === "hostile") {
  process.exit(await hostileFaults(values.attack));
} else if (values.all) {
  const known = Object.keys(ALL_KINDS);
  const kinds = values.kinds?.split(",") ?? known;
  if (kinds.some((kind) => !known.includes(kind))) refuse(`--kinds are some of ${known.join(",")}`);
  if ((from ?? 1) > seed) refuse(`--from ${from ?? 1} comes after the last seed, --seed ${seed}`);
  const code = await allErrors({
    seed,
    kinds,
    from: from ?? 1,
    runs: runs ?? 8,
    minutes,
    file: values.results,
  });
  process.exit(code);
} else {
  const run = KINDS[values.transport];
  if (!run) refuse(`--transport is one of ${Object.keys(KINDS).join(", ")}`);
  process.exitCode = await run({ runs: runs ?? 60, seed, first: from ?? 0 });
}
