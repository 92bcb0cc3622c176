import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { runDevice } from "./device-limits.ts";
import { filesText } from "./files.ts";
import type { LimitsVerdict } from "./limits.ts";
import { harmOf } from "./outcome.ts";
import { describeKill, planOf } from "./plan.ts";
import { type Range, say, table } from "./report.ts";
import type { Result } from "./run.ts";
import { openWorld } from "./world.ts";

const COLUMNS = {
  run: 4,
  "killed at": 34,
  weather: 18,
  intervention: 17,
  people: 7,
  files: 5,
  sent: 5,
  dup: 5,
  lost: 4,
  wrong: 5,
  nostate: 7,
  uncertain: 10,
  again: 7,
  gone: 5,
  after: 6,
  outside: 8,
  over: 5,
  s: 7,
};

export async function deviceErrors({ runs, seed, first }: Range): Promise<number> {
  quietSignal();
  const line = table(COLUMNS);
  const results: (Result & LimitsVerdict)[] = [];
  const world = await openWorld();
  try {
    for (let index = first; index < first + runs; index++) {
      const result = await runDevice(world, seed, planOf(seed, index));
      results.push(result);
      line(cells(result));
    }
  } catch (error) {
    process.stderr.write(`${String(error)}\n${world.product.output().slice(-4000)}\n`);
    const { rows } = await world.database.query(
      "select id, status, pause_reason, cursor, lowest_in_flight_seq, total, pending_count, sending_count, waiting_count, uncertain_count, sent_count, read_count from campaign order by id desc limit 1",
    );
    const { rows: c } = await world.database.query(
      "select c.id, state, state_reason, owner, fence, desired, lease_until - now() as lease from connection c left join worker w on w.id = c.owner",
    );
    process.stderr.write(`${JSON.stringify(rows)}\n${JSON.stringify(c)}\n`);
    const stats = await world.control.stats({});
    process.stderr.write(`${JSON.stringify(stats)}\n`);
  } finally {
    await world.close();
  }
  return summary(results, runs);
}

function cells(result: Result & LimitsVerdict): (string | number)[] {
  const { plan, people, sent, duplicated, lost, wronged, withoutState, uncertain, repeatedFrames, seconds } =
    result;
  const kills = plan.kills.map(describeKill).join(", ");
  return [
    plan.index,
    `${kills} (${result.killed})`,
    plan.weather,
    plan.intervention,
    people,
    filesText(plan.files),
    sent,
    duplicated,
    lost,
    wronged,
    withoutState,
    uncertain,
    repeatedFrames,
    result.optedOut,
    result.writtenToAfterLeaving,
    result.outsideHours,
    result.overBudget,
    seconds.toFixed(1),
  ];
}

function summary(results: readonly (Result & LimitsVerdict)[], runs: number): number {
  const sum = (of: (result: Result & LimitsVerdict) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const bad = sum(harmOf);
  say(
    `people ${sum((one) => one.people)} kills ${sum((one) => one.killed)} frames again under one id ${sum((one) => one.repeatedFrames)} wronged ${sum((one) => one.wronged)}`,
  );
  say(
    `written-to-after-leaving ${sum((one) => one.writtenToAfterLeaving)} of ${sum((one) => one.optedOut)} who left while something was away`,
  );
  say(
    `duplicated ${sum((one) => one.duplicated)} lost ${sum((one) => one.lost)} without-state ${sum((one) => one.withoutState)} uncertain ${sum((one) => one.uncertain)} runs ${results.length} outside-hours ${sum((one) => one.outsideHours)} over-budget ${sum((one) => one.overBudget)}`,
  );
  return bad === 0 && results.length === runs ? 0 : 1;
}
