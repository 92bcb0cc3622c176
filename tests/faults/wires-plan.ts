import { setTimeout as pause } from "node:timers/promises";
import type { FaultProxy, Way } from "../support/fault-proxy.ts";
import { chance } from "./chance.ts";
import { picker } from "./plan.ts";

const TROUBLES = [
  "slow",
  "reset",
  "reset after bytes",
  "half answers",
  "refused",
  "lost there",
  "lost back",
  "lost both ways",
] as const;
type TroubleKind = (typeof TROUBLES)[number];

export type Trouble = {
  wire: string;
  kind: TroubleKind;
  way: Way;
  bytes: number;
  afterMs: number;
  forMs: number;
};

export type WiresPlan = { index: number; people: number; troubles: Trouble[] };

const A_MINUTE_MS = 60_000;

export function wiresPlanOf(seed: number, index: number, wires: readonly string[]): WiresPlan {
  const random = chance(seed * 300_007 + index);
  random();
  const pick = picker(random);
  const draw = (kind: TroubleKind, wire: string): Trouble => ({
    kind,
    wire,
    way: pick(["there", "back"] as const),
    bytes: Math.floor(random() * 3_000),
    afterMs: Math.floor(random() * 1_500),
    forMs: 300 + Math.floor(random() * 2_500),
  });
  const wire = wires[index % wires.length] ?? "";
  const turn = TROUBLES[Math.floor(index / wires.length + seed) % TROUBLES.length] ?? "slow";
  const people = 40 + Math.floor(random() * 30);
  if (turn === "refused" && wire === "database")
    return { index, people, troubles: [{ ...draw(turn, wire), afterMs: 300, forMs: A_MINUTE_MS }] };
  const troubles = [draw(turn, wire)];
  if (random() < 0.4) troubles.push(draw(pick(TROUBLES), pick(wires)));
  return { index, people, troubles };
}

export async function makeTrouble(proxy: FaultProxy, trouble: Trouble): Promise<void> {
  const { kind, way, bytes, afterMs, forMs } = trouble;
  await pause(afterMs);
  const acts: Record<TroubleKind, () => void> = {
    slow: () => proxy.delay(way, 20 + (bytes % 300)),
    reset: () => void proxy.cut(),
    "reset after bytes": () => proxy.cutAfter(way, bytes),
    "half answers": () => proxy.stopAfter("back", bytes),
    refused: () => {
      proxy.refuse();
      proxy.cut();
    },
    "lost there": () => proxy.swallow("there"),
    "lost back": () => proxy.swallow("back"),
    "lost both ways": () => proxy.swallow("there", "back"),
  };
  acts[kind]();
  await pause(forMs);
  proxy.heal();
}

export const describeTroubles = ({ troubles }: WiresPlan): string =>
  troubles
    .map(({ wire, kind, way, bytes, afterMs, forMs }) => {
      const how = kind.endsWith("bytes") || kind === "half answers" ? ` ${bytes} ${way}` : "";
      return `${wire} ${kind}${how} at ${afterMs} for ${forMs} ms`;
    })
    .join(", ");
