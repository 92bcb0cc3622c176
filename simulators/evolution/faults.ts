import type { CallName } from "./calls.ts";
import { seeded } from "./seeded.ts";

/**
 * What can go wrong with a call, and the truth of it: whether the gateway did what was asked. A message that was
 * `accepted` reaches its person whatever the caller saw.
 */
export const FAULTS = {
  /** The connection is reset before anything was done. */
  resetBefore: { accepted: false },
  acceptThenReset: { accepted: true },
  /** No answer until the caller gives up. */
  hangBefore: { accepted: false },
  acceptThenHang: { accepted: true },
  /** 502 with a proxy's HTML page. */
  badGatewayBefore: { accepted: false },
  acceptThenBadGateway: { accepted: true },
  /** 500 in the gateway's own JSON. */
  errorBefore: { accepted: false },
  acceptThenError: { accepted: true },
  /** The status of success with a body that stops in the middle, as a whole answer. */
  halfJson: { accepted: true },
  /** … and with the connection reset in the middle of the body. */
  cutBody: { accepted: true },
  /** 200 with HTML: something else answers in the gateway's place. */
  htmlPage: { accepted: false },
  acceptThenHtmlPage: { accepted: true },
  /** The right answer without the message's id. */
  withoutId: { accepted: true },
  /** 429 with `Retry-After`. */
  tooMany: { accepted: false },
  /** The gateway lost WhatsApp (recording 09b). */
  connectionClosed: { accepted: false },
  /** 400 with an error in a text; of a delete the session alone was ended (its logout and the rest delete the same row). */
  halfDone: { accepted: true },
  /** No media host of WhatsApp took the picture. */
  uploadFailed: { accepted: false },
  /** The right answer, `ms` later. */
  slow: { accepted: true },
  /** The right answer, blown up to 10 MB. */
  hugeBody: { accepted: true },
} as const;

export type ErrorName = keyof typeof FAULTS;

export type FaultDetails = {
  /** How long `slow` waits, and how long the others wait before they strike. */
  ms?: number;
  /** What `tooMany` says. */
  retryAfterSeconds?: number;
};

export type Fault = FaultDetails & { name: ErrorName; record: FaultRecord };

/** What happened because of a fault. */
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

/** Holds the faults and deals them out: first those scripted for a call, then by chance. */
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
    /** The next call of this name (or the next `times`) meets this fault; scripted ones wait in line. */
    next(call: CallName, name: ErrorName, details: FaultDetails & { times?: number } = {}): void {
      const { times = 1, ...rest } = details;
      scripted.set(call, [...(scripted.get(call) ?? []), { name, times, ...rest }]);
    },
    /** Every call meets a fault with these chances (their sum at most 1); sends only, unless `calls` says more. */
    rate(next: FaultRates | null): void {
      rates = next;
      chance = next ? seeded(next.seed) : () => 1;
    },
    /** Takes everything back. What happened stays in the log. */
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
