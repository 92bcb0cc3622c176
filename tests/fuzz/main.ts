import { commandLine, numberOf } from "../support/command-line.ts";
import { startRunPostgres } from "../support/run-postgres.ts";
import { isCostly } from "./costly.ts";
import { keyOf } from "./requests.ts";
import { fuzzRoute } from "./run.ts";
import { openWorld } from "./world.ts";

/**
 * `npm run fuzz -- --seed 1 [--requests 10000] [--costly 500] [--route "POST /api/x"] [--from 17]`: nearly
 * valid and hostile requests over every route. An error is printed with its request number, which `--from`
 * repeats.
 */
const { values } = commandLine(
  'npm run fuzz -- [--seed 1] [--requests 10000] [--costly 500] [--route "POST /api/x"] [--from 17]',
  {
    options: {
      seed: { type: "string", default: "1" },
      requests: { type: "string" },
      costly: { type: "string" },
      route: { type: "string" },
      from: { type: "string" },
    },
  },
);
const each = numberOf(values, "requests", 1) ?? 10_000;
const costly = Math.min(each, numberOf(values, "costly", 1) ?? 500);
const first = numberOf(values, "from", 0) ?? 0;
const say = (text: string) => process.stdout.write(`${text}\n`);

const postgres = await startRunPostgres();
const world = await openWorld(postgres.server, postgres.template);
let requests = 0;
let errors = 0;
say(`seed ${values.seed}`);
for (const route of world.app.endpoints.toSorted((a, b) => order(a.method) - order(b.method))) {
  const key = keyOf(route);
  if (values.route !== undefined && values.route !== key) continue;
  const start = performance.now();
  const result = await fuzzRoute(world, route, {
    seed: values.seed,
    requests: isCostly(key) ? costly : each,
    first,
  });
  requests += result.requests;
  errors += result.errors.length;
  const statuses = Object.entries(result.statuses).map(([status, times]) => `${status}×${times}`);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  say(
    `${key}  requests ${result.requests} errors ${result.errors.length}  ${statuses.join(" ")}  ${seconds} s`,
  );
  for (const error of result.errors.slice(0, 5)) say(`  ✗ ${error}`);
}
await world.close();
await postgres.stop();
say(`requests ${requests} errors ${errors}`);
process.exitCode = errors === 0 && requests > 0 ? 0 : 1;

function order(method: string): number {
  return method === "GET" ? 0 : 1;
}
