import { parseArgs } from "node:util";
import { deviceFaults } from "./device-main.ts";
import { gatewayFaults } from "./gateway-main.ts";

/**
 * `npm run faults -- --runs 60 --seed 1 [--transport gateway]`: campaigns with the server killed at named steps and at random, under what
 * goes wrong on the way (device: lost, late and refused acknowledgements, cut sockets; gateway: lost, half and false answers, webhooks
 * late, twice or never), pauses and cancels; the ledger is then compared with what really went out.
 */
const { values } = parseArgs({
  options: {
    transport: { type: "string", default: "device" },
    runs: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
  },
});
const KINDS: Readonly<Record<string, typeof deviceFaults>> = { device: deviceFaults, gateway: gatewayFaults };
const run = KINDS[values.transport];
if (!run) {
  process.stderr.write(`--transport is one of ${Object.keys(KINDS).join(", ")}\n`);
  process.exit(2);
}
const range = { runs: Number(values.runs), seed: Number(values.seed), first: Number(values.from) };
process.exitCode = await run(range);
