import { say } from "../report.ts";
import { DOORS, type Prey } from "./doors.ts";
import { FLOODS, restartAmongNumbers } from "./floods.ts";
import { Honest, p99, type Window } from "./honest.ts";
import { type HostileWorld, openHostileWorld } from "./world.ts";

const WINDOW_MS = 15_000;
const REST_MS = 4_000;

type Goal = { text: string; met: boolean };

const seconds = (ms: number | null) => (ms === null ? "–" : `${(ms / 1_000).toFixed(2)} s`);

function atMost(name: string, value: number | null, most: number, quiet = 0): Goal {
  // Subtracts what the machine takes without an attack.
  const met = value !== null && value <= most + quiet;
  return { text: `${name} ${seconds(value)} (goal ≤ ${seconds(most + quiet)})`, met };
}

function judge(found: Window, quiet: Window): Goal[] {
  const share = found.sent / found.ms / (quiet.sent / quiet.ms);
  const failed = found.refused + found.hooksRefused;
  return [
    {
      text: `sent ${found.sent} = ${Math.round(100 * share)} % of quiet (goal ≥ 90 %)`,
      met: share >= 0.9,
    },
    atMost("opt-out p99", p99(found.optOuts), 2_000),
    atMost("start", p99(found.starts), 5_000, p99(quiet.starts) ?? 0),
    atMost("import", p99(found.imports), 3_000),
    atMost("pages p99", p99(found.pages), 1_000),
    { text: `refused ${failed} (goal 0)`, met: failed === 0 },
    atMost("loop stood still", found.blockedMs, 50, quiet.blockedMs),
  ];
}

function tell(name: string, line: string, goals: readonly Goal[]): boolean {
  const met = goals.every((goal) => goal.met);
  say(`${name}: goal ${met ? "met" : "missed"} · ${line}`);
  for (const { text, met: good } of goals) say(`    ${good ? "met   " : "missed"} ${text}`);
  return met;
}

const tellPrey = ({ name, line, got, most }: Prey): boolean => {
  const met = got <= most;
  say(`${name}: goal ${met ? "met" : "missed"} · ${got} ${line} (goal ≤ ${most})`);
  return met;
};

/**
 * `npm run faults -- --kinds hostile`: attacks of strangers on one product, beside an honest account. Answers
 * the exit code.
 */
export async function hostileFaults(only: string | undefined): Promise<number> {
  const world = await openHostileWorld();
  try {
    return (await runAll(world, only)) ? 0 : 1;
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.stack : String(error)}\n${world.product.output().slice(-4_000)}\n`,
    );
    return 1;
  } finally {
    await world.close();
  }
}

async function runAll(world: HostileWorld, only: string | undefined): Promise<boolean> {
  const chosen = (name: string) => only === undefined || name.startsWith(`${only} `);
  const honest = await Honest.begin(world);
  await honest.watch(REST_MS, async () => "");
  const quiet = await honest.watch(WINDOW_MS, async () => "");
  say(
    `quiet: sent ${quiet.sent} in ${seconds(quiet.ms)}, opt-out p99 ${seconds(p99(quiet.optOuts))}, start ${seconds(p99(quiet.starts))}, import ${seconds(p99(quiet.imports))}, pages p99 ${seconds(p99(quiet.pages))}, loop stood still ${seconds(quiet.blockedMs)}, ${Math.round(quiet.memoryMb)} MB`,
  );
  let good = true;
  for (const [name, flood] of Object.entries(FLOODS)) {
    if (!chosen(name)) continue;
    let line = "";
    const found = await honest.watch(WINDOW_MS, async (signal) => {
      line = await flood(world, signal);
    });
    good = tell(name, `${line}, ${Math.round(found.memoryMb)} MB`, judge(found, quiet)) && good;
    await world.forgetFlood();
    await honest.watch(REST_MS, async () => "");
  }
  for (const [name, door] of Object.entries(DOORS)) {
    if (!chosen(name)) continue;
    for (const prey of [await door(world)].flat()) good = tellPrey(prey) && good;
  }
  if (chosen("F4c ")) {
    const { line, ms } = await restartAmongNumbers(world);
    good = tell("F4c a restart among numbers", line, [atMost("next message", ms, 10_000)]) && good;
  }
  return good;
}
