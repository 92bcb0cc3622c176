import { filesText } from "./files.ts";
import { runGateway } from "./gateway-limits.ts";
import { type GatewayPlan, gatewayPlanOf } from "./gateway-plan.ts";
import { type GatewayResult, tooUncertain } from "./gateway-run.ts";
import { openGatewayWorld } from "./gateway-world.ts";
import type { LimitsVerdict } from "./limits.ts";
import { harmOf } from "./outcome.ts";
import { describeKill } from "./plan.ts";
import { type Range, say, table } from "./report.ts";

const SETTLED_SHARE = 0.9;

const COLUMNS = {
  run: 4,
  "killed at": 34,
  weather: 16,
  intervention: 17,
  people: 7,
  files: 5,
  sent: 5,
  dup: 4,
  lost: 5,
  wrong: 6,
  nostate: 8,
  uncertain: 10,
  doubts: 7,
  left: 5,
  found: 6,
  answers: 8,
  gone: 5,
  after: 6,
  outside: 8,
  over: 5,
  s: 5,
};

export async function gatewayFaults({ runs, seed, first }: Range): Promise<number> {
  const line = table(COLUMNS);
  const results: (GatewayResult & LimitsVerdict)[] = [];
  const world = await openGatewayWorld();
  try {
    for (let index = first; index < first + runs; index++) {
      const result = await runGateway(world, seed, gatewayPlanOf(seed, index));
      results.push(result);
      line(cells(result));
    }
  } catch (error) {
    process.stderr.write(`${String(error)}\n${world.product.output().slice(-4000)}\n`);
    const { rows } = await world.database.query(
      "select id, status, pause_reason, cursor, lowest_in_flight_seq, total, pending_count, sending_count, waiting_count, uncertain_count, sent_count from campaign order by id desc limit 1",
    );
    const { rows: all } = await world.database.query(
      "select id, kind, state, cause, owner, fence, desired from connection",
    );
    process.stderr.write(`${JSON.stringify(rows)}\n${JSON.stringify(all)}\n`);
  } finally {
    await world.close();
  }
  return summary(results, runs);
}

function cells(result: GatewayResult & LimitsVerdict): (string | number)[] {
  const { plan, killed, people, sent, duplicated, lost, wronged, withoutState, uncertain } = result;
  const { doubts, left, found, ambiguous, seconds } = result;
  return [
    plan.index,
    `${killsOf(plan)} (${killed})`,
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
    doubts,
    left,
    found,
    ambiguous,
    result.optedOut,
    result.writtenToAfterLeaving,
    result.outsideHours,
    result.overBudget,
    seconds.toFixed(1),
  ];
}

const killsOf = ({ kills }: GatewayPlan) => kills.map(describeKill).join(", ");

function summary(results: readonly (GatewayResult & LimitsVerdict)[], runs: number): number {
  const sum = (of: (result: GatewayResult & LimitsVerdict) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const bad = sum(harmOf);
  const [doubts, found, left] = [sum((one) => one.doubts), sum((one) => one.found), sum((one) => one.left)];
  const share = doubts === 0 ? 1 : found / doubts;
  const tooMany = sum(tooUncertain);
  const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  say(
    `people ${sum((one) => one.people)} kills ${sum((one) => one.killed)} ambiguous answers ${sum((one) => one.ambiguous)} wronged ${sum((one) => one.wronged)} uncertain beyond one for each ${tooMany}`,
  );
  say(
    `doubts ${doubts} settled by reconciliation ${found} (${percent(found, doubts)}; of the ${left} that had left ${percent(found, left)})`,
  );
  say(
    `written-to-after-leaving ${sum((one) => one.writtenToAfterLeaving)} of ${sum((one) => one.optedOut)} who left while something was away`,
  );
  say(
    `duplicated ${sum((one) => one.duplicated)} lost ${sum((one) => one.lost)} without-state ${sum((one) => one.withoutState)} uncertain ${sum((one) => one.uncertain)} runs ${results.length} outside-hours ${sum((one) => one.outsideHours)} over-budget ${sum((one) => one.overBudget)}`,
  );
  return bad === 0 && tooMany === 0 && share >= SETTLED_SHARE && results.length === runs ? 0 : 1;
}
