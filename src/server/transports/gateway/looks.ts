import type { Clock } from "../../../domain/clock.ts";

/** When an instance is looked at: one look at a time, each saying when the next is due; whoever is in a hurry brings it forward. */
export type Looks = {
  now(): void;
  /** As soon as the last one is `pokeMs` ago. */
  soon(): void;
  /** None before so many ms from now; then one. */
  notBefore(ms: number): void;
  end(): void;
  ended(): boolean;
};

export function makeLooks(
  {
    clock,
    after,
    timing,
  }: {
    clock: Clock;
    after: (ms: number, call: () => void) => () => void;
    timing: { pokeMs: number };
  },
  look: () => Promise<number>,
): Looks {
  let running = false;
  /** Somebody wanted a look while one ran, which may have begun too early for what they know. */
  let again = false;
  let ended = false;
  let begun = Number.NEGATIVE_INFINITY;
  let earliest = Number.NEGATIVE_INFINITY;
  let dueAt = Number.POSITIVE_INFINITY;
  let callOff: () => void = () => undefined;

  function schedule(ms: number): void {
    const at = Math.max(clock.monotonic() + ms, earliest);
    if (ended || at >= dueAt) return;
    callOff();
    dueAt = at;
    callOff = after(Math.max(0, at - clock.monotonic()), () => void run());
  }

  async function run(): Promise<void> {
    dueAt = Number.POSITIVE_INFINITY;
    if (ended) return;
    running = true;
    begun = clock.monotonic();
    const next = await look();
    running = false;
    schedule(next);
    if (again) soon();
    again = false;
  }

  function soon(): void {
    if (running) again = true;
    else schedule(Math.max(0, begun + timing.pokeMs - clock.monotonic()));
  }

  return {
    soon,
    now: () => {
      earliest = Number.NEGATIVE_INFINITY;
      if (running) again = true;
      else schedule(0);
    },
    notBefore: (ms) => {
      earliest = clock.monotonic() + ms;
      callOff();
      dueAt = Number.POSITIVE_INFINITY;
      if (running) again = true;
      else schedule(ms);
    },
    end: () => {
      ended = true;
      callOff();
    },
    ended: () => ended,
  };
}
