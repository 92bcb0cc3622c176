import type { Clock } from "../../../domain/clock.ts";
import type { InstanceTiming } from "./instance-deps.ts";
import type { InstanceScreen } from "./instance-screen.ts";
import type { Reached } from "./reached.ts";
import type { ConnectAnswer } from "./shapes.ts";

/** From a person's request until open or timeout. */
export type Linking = {
  wanted(): boolean;
  begin(): void;
  stop(): void;
  hasCode(): boolean;
  isOver(): boolean;
  wantPairingCode(): void;
  /** Limited to `askMs`. */
  ask(at: Reached): Promise<void>;
};

export function makeLinking({
  clock,
  timing,
  screen,
}: {
  clock: Clock;
  timing: InstanceTiming;
  screen: InstanceScreen;
}): Linking {
  const now = () => clock.monotonic();
  const NEVER = Number.NEGATIVE_INFINITY;
  let wantedAt: number | null = null;
  let askedAt = NEVER;
  let code: { text: string; at: number } | null = null;
  /** Kept across `stop` and `begin`: gateways return a code again after its use. */
  let last: { text: string; at: number } | null = null;
  let typed = false;
  /** Why there is no pairing code. */
  let trouble: string | null = null;

  function forget(): void {
    [askedAt, code, typed, trouble] = [NEVER, null, false, null];
  }

  function show(answer: ConnectAnswer): void {
    if (answer.kind === "open") return;
    if (answer.kind === "none") {
      screen.connecting(trouble);
      return;
    }
    const qr = answer.kind === "qr" ? answer.code : null;
    const text = `${qr} ${answer.pairingCode}`;
    if (code?.text !== text) code = { text, at: last?.text === text ? last.at : now() };
    last = code;
    const leftMs = code.at + timing.qrMs - now();
    // Unchanged for longer than a code lives: it links nothing.
    if (leftMs <= 0) screen.connecting(trouble);
    else {
      const expiresAt = new Date(clock.now().getTime() + leftMs);
      screen.code({ qr, pairingCode: answer.pairingCode, expiresAt }, trouble);
    }
  }

  return {
    wanted: () => wantedAt !== null,
    begin: () => {
      const keep = typed;
      forget();
      typed = keep;
      wantedAt = now();
    },
    stop: () => {
      forget();
      // A phone has used it, or it will never be used.
      if (last) last = { ...last, at: NEVER };
      wantedAt = null;
    },
    hasCode: () => code !== null,
    isOver: () => wantedAt !== null && now() - wantedAt > timing.linkMs,
    wantPairingCode: () => {
      typed = true;
      askedAt = NEVER;
    },
    ask: async ({ access, client }) => {
      // On a closed instance each request starts another attempt.
      if (now() - askedAt < timing.askMs) return;
      askedAt = now();
      const number = typed ? access.number : null;
      const answer = await client.connect(access.name, ...(number === null ? [] : [number]));
      if (wantedAt === null) return;
      const hasOne = "pairingCode" in answer && answer.pairingCode !== null;
      // No number is accepted while codes are running.
      if (typed && answer.kind !== "none") trouble = hasOne ? null : "pairing_refused";
      if (answer.kind !== "none") typed = false;
      show(answer);
    },
  };
}
