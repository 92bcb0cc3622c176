import { parseArgs } from "node:util";
import { quietSignal } from "../../src/simulator/quiet-signal.ts";
import { describeKill, planOf } from "./plan.ts";
import { type Result, runPlan } from "./run.ts";
import { openWorld } from "./world.ts";

/**
 * `npm run faults -- --runs 60 --seed 1`: campaigns through the simulator with the server killed at named steps and at random, under
 * lost, late and refused acknowledgements, cut sockets, pauses and cancels; the ledger is then compared with what the phones hold.
 */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
  },
});
const runs = Number(values.runs);
const seed = Number(values.seed);
const first = Number(values.from);

const say = (text: string) => process.stdout.write(`${text}\n`);
const columns = (cells: readonly (string | number)[]) =>
  cells.map((cell, i) => String(cell).padEnd(WIDTHS[i] ?? 10)).join(" ");
const WIDTHS = [4, 34, 18, 17, 7, 5, 5, 4, 5, 7, 10, 7, 7];

quietSignal();
const world = await openWorld();
const results: Result[] = [];
try {
  say(
    columns([
      "run",
      "killed at",
      "weather",
      "deed",
      "people",
      "sent",
      "dup",
      "lost",
      "wrong",
      "nostate",
      "uncertain",
      "again",
      "s",
    ]),
  );
  for (let index = first; index < first + runs; index++) {
    const result = await runPlan(world, seed, planOf(seed, index));
    results.push(result);
    say(line(result));
  }
} catch (error) {
  process.stderr.write(`${String(error)}\n${world.product.output().slice(-4000)}\n`);
  const { rows } = await world.database.query(
    "select id, life, cause, cursor, low, total, n_pending, n_sending, n_waiting, n_uncertain, n_sent, n_read from campaign order by id desc limit 1",
  );
  const { rows: c } = await world.database.query(
    "select id, state, cause, owner, fence, desired, lease_until - now() as lease from connection",
  );
  process.stderr.write(`${JSON.stringify(rows)}\n${JSON.stringify(c)}\n`);
  const stats = await world.control.stats({});
  process.stderr.write(`${JSON.stringify(stats)}\n`);
} finally {
  await world.close();
}

function line(result: Result): string {
  const { plan, people, sent, duplicated, lost, wronged, withoutState, uncertain, repeatedFrames, seconds } =
    result;
  const kills = plan.kills.map(describeKill).join(", ");
  return columns([
    ...[plan.index, `${kills} (${result.killed})`, plan.weather, plan.deed, people, sent],
    ...[duplicated, lost, wronged, withoutState, uncertain, repeatedFrames, seconds.toFixed(1)],
  ]);
}

const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0);
const bad = sum((one) => one.duplicated + one.lost + one.withoutState + one.wronged);
say(
  `people ${sum((one) => one.people)} kills ${sum((one) => one.killed)} frames again under one id ${sum((one) => one.repeatedFrames)} wronged ${sum((one) => one.wronged)}`,
);
say(
  `duplicated ${sum((one) => one.duplicated)} lost ${sum((one) => one.lost)} without-state ${sum((one) => one.withoutState)} uncertain ${sum((one) => one.uncertain)} runs ${results.length}`,
);
process.exitCode = bad === 0 && results.length === runs ? 0 : 1;
