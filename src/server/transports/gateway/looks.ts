import type { Clock } from "../../../domain/clock.ts";

/** One look at a time; each returns the delay of the next. */
export type Looks = {
  now(): void;
  /** Not before `pokeMs`. */
  soon(): void;
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
  /** The running look may have begun too early to see the change. */
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
