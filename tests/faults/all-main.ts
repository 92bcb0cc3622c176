import os from "node:os";
import path from "node:path";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { KINDS, type OpenKind } from "./kinds.ts";
import { GOALS } from "./outcome.ts";
import { say } from "./report.ts";
import { append, type Line, readResults, totals } from "./results.ts";

export type AllOptions = {
  from: number;
  seed: number;
  runs: number;
  minutes: number;
  kinds: readonly string[];
  file: string;
};

export const RESULTS = path.join(os.tmpdir(), "recado-faults", "results.jsonl");

export async function allErrors(options: AllOptions): Promise<number> {
  quietSignal();
  const { from, seed: last, minutes, file } = options;
  const end = performance.now() + minutes * 60_000;
  let stopped = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      stopped = true;
    });
  const over = () => stopped || performance.now() > end;
  let next = from;
  for (let seed = from; seed <= last && !over(); seed++) {
    for (const kind of options.kinds) if (!over()) await runKind(options, kind, seed, over);
    if (!over()) next = seed + 1;
  }
  say(`\n${file}`);
  if (next <= last) say(`to go on: --from ${next}`);
  const { text, good } = totals(readResults(file));
  for (const line of text) say(line);
  return good ? 0 : 1;
}

async function runKind(
  { runs, file }: AllOptions,
  kind: string,
  seed: number,
  over: () => boolean,
): Promise<void> {
  let world: OpenKind | null = null;
  for (let index = 0; index < runs && !over(); index++) {
    const start = performance.now();
    const seconds = () => Math.round((performance.now() - start) / 100) / 10;
    const head = { at: new Date().toISOString(), kind, seed, index };
    try {
      world ??= (await KINDS[kind]?.()) ?? null;
      if (world === null) return;
      const outcome = await world.run(seed, index);
      tell(file, { ...head, ...outcome, seconds: seconds(), load: loadNow() });
    } catch (error) {
      const output = world?.output().slice(-2_000) ?? "";
      process.stderr.write(`${String(error)}\n${output}\n`);
      tell(file, { ...head, plan: "", seconds: seconds(), load: loadNow(), failed: String(error) });
      await world?.close().catch(() => undefined);
      world = null;
    }
  }
  await world?.close();
}

const loadNow = (): number => Math.round((os.loadavg()[0] ?? 0) * 10) / 10;

function tell(file: string, line: Line): void {
  append(file, line);
  const head = `${line.kind.padEnd(12)} ${line.seed}/${line.index}`;
  if (line.failed !== undefined) {
    say(`${head} NOT ENDED after ${line.seconds} s: ${line.failed}`);
    return;
  }
  const bad = GOALS.filter((goal) => line[goal] > 0).map((goal) => `${goal.toUpperCase()} ${line[goal]}`);
  const recovered = [...line.fromDeathMs, ...line.fromDatabaseMs].map((ms) => `${(ms / 1_000).toFixed(1)} s`);
  const back = recovered.length > 0 ? `, back after ${recovered.join(", ")}` : "";
  say(
    `${head} ${bad.length > 0 ? bad.join(" ") : "good"}: ${line.people} people, uncertain ${line.uncertain}${back}, ${line.seconds} s · ${line.plan}`,
  );
}
