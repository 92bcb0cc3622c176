import type { CallName } from "./calls.ts";
import { seeded } from "./seeded.ts";

/** `accepted`: the message reaches its person whatever the caller saw. */
export const FAULTS = {
  resetBefore: { accepted: false },
  acceptThenReset: { accepted: true },
  hangBefore: { accepted: false },
  acceptThenHang: { accepted: true },
  badGatewayBefore: { accepted: false },
  acceptThenBadGateway: { accepted: true },
  errorBefore: { accepted: false },
  acceptThenError: { accepted: true },
  halfJson: { accepted: true },
  cutBody: { accepted: true },
  htmlPage: { accepted: false },
  acceptThenHtmlPage: { accepted: true },
  withoutId: { accepted: true },
  tooMany: { accepted: false },
  connectionClosed: { accepted: false },
  /** A delete ended only the session (its logout and the rest delete the same row). */
  halfDone: { accepted: true },
  uploadFailed: { accepted: false },
  slow: { accepted: true },
  hugeBody: { accepted: true },
} as const;

export type ErrorName = keyof typeof FAULTS;

export type FaultDetails = {
  ms?: number;
  retryAfterSeconds?: number;
};

export type Fault = FaultDetails & { name: ErrorName; record: FaultRecord };

export type FaultRecord = {
  at: number;
  call: CallName;
  instance: string | null;
  fault: ErrorName;
  accepted: boolean;
};

type Planned = FaultDetails & { name: ErrorName };
type Scripted = Planned & { times: number };

export type FaultRates = Partial<Record<ErrorName, number>> & {
  seed: number;
  calls?: CallName[];
} & FaultDetails;

export type FaultDesk = ReturnType<typeof makeFaultDesk>;

export function makeFaultDesk(now: () => number) {
  const scripted = new Map<CallName, Scripted[]>();
  const log: FaultRecord[] = [];
  let rates: FaultRates | null = null;
  let chance = () => 1;

  function nextScripted(call: CallName): Planned | null {
    const list = scripted.get(call);
    const first = list?.[0];
    if (!list || !first) return null;
    first.times -= 1;
    if (first.times <= 0) list.shift();
    return first;
  }
  function byChance(call: CallName): Planned | null {
    if (!rates || !(rates.calls ?? ["sendText", "sendMedia"]).includes(call)) return null;
    let drawn = chance();
    for (const name of Object.keys(FAULTS) as ErrorName[]) {
      const rate = rates[name] ?? 0;
      if (drawn < rate) return { name, ms: rates.ms, retryAfterSeconds: rates.retryAfterSeconds };
      drawn -= rate;
    }
    return null;
  }

  return {
    log,
    next(call: CallName, name: ErrorName, details: FaultDetails & { times?: number } = {}): void {
      const { times = 1, ...rest } = details;
      scripted.set(call, [...(scripted.get(call) ?? []), { name, times, ...rest }]);
    },
    /** Probabilities, sum at most 1; default: sends only. */
    rate(next: FaultRates | null): void {
      rates = next;
      chance = next ? seeded(next.seed) : () => 1;
    },
    clear(): void {
      scripted.clear();
      rates = null;
    },
    take(call: CallName, instance: string | null): Fault | null {
      const planned = nextScripted(call) ?? byChance(call);
      if (!planned) return null;
      const { accepted } = FAULTS[planned.name];
      const record: FaultRecord = { at: now(), call, instance, fault: planned.name, accepted };
      log.push(record);
      return { ...planned, record };
    },
  };
}
