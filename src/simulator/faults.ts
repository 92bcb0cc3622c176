/** What shall go wrong. Counts run down by themselves; everything off is how a simulator starts. */
export type Faults = {
  /** The next messages are refused with this code. */
  refuseNext: { code: number; count: number } | null;
  /** So many messages are taken, and delivered, without an acknowledgement. */
  dropAcks: number;
  /** Acknowledgements come so late; `count` null means until further notice. */
  delayAcks: { ms: number; count: number | null } | null;
  /** So many messages never arrive: the socket is cut before the server takes them. */
  cutBeforeAccept: number;
  /** So many messages are taken and delivered, and the socket is cut instead of acknowledging. */
  cutAfterAccept: number;
  /** The next logins fail with this code (401, 403, 405, 500, 503 …), for one number or for all. */
  failLogins: { code: number; count: number; phone: string | null } | null;
  /** Queries of this namespace (`usync`, `encrypt`, `w:m` …) fail with the code, or get no answer (null). */
  failQueries: { namespace: string; code: number | null; count: number } | null;
  /** Nobody can connect: new sockets are cut before a word is said. */
  unreachable: boolean;
  /** So many uploads are answered 500 by the media host. */
  failUploads: number;
  /** The first scan of a new device meets `companion_reg_refresh` and does not link. */
  refreshOnFirstScan: boolean;
  /** A request for a pairing code is answered 400. */
  rejectPairingCode: boolean;
};

const NO_FAULTS: Faults = {
  refuseNext: null,
  dropAcks: 0,
  delayAcks: null,
  cutBeforeAccept: 0,
  cutAfterAccept: 0,
  failLogins: null,
  failQueries: null,
  unreachable: false,
  failUploads: 0,
  refreshOnFirstScan: false,
  rejectPairingCode: false,
};

type Counter = "dropAcks" | "cutBeforeAccept" | "cutAfterAccept" | "failUploads";

export type FaultDesk = ReturnType<typeof makeFaultDesk>;

/** Holds the faults and deals them out, one at a time. */
export function makeFaultDesk() {
  let faults = { ...NO_FAULTS };
  return {
    current: (): Faults => ({ ...faults }),
    set(changes: Partial<Faults>): void {
      faults = { ...faults, ...changes };
    },
    reset(): void {
      faults = { ...NO_FAULTS };
    },
    /** Uses one up, if there is one. */
    take(name: Counter): boolean {
      if (faults[name] <= 0) return false;
      faults[name] -= 1;
      return true;
    },
    takeRefusal(): number | undefined {
      const refusal = faults.refuseNext;
      if (!refusal) return undefined;
      faults.refuseNext = refusal.count > 1 ? { ...refusal, count: refusal.count - 1 } : null;
      return refusal.code;
    },
    takeAckDelay(): number | undefined {
      const delay = faults.delayAcks;
      if (!delay) return undefined;
      if (delay.count !== null)
        faults.delayAcks = delay.count > 1 ? { ...delay, count: delay.count - 1 } : null;
      return delay.ms;
    },
    takeLoginFailure(phone: string | null): number | undefined {
      const failure = faults.failLogins;
      if (!failure || (failure.phone !== null && failure.phone !== phone)) return undefined;
      faults.failLogins = failure.count > 1 ? { ...failure, count: failure.count - 1 } : null;
      return failure.code;
    },
    takeQueryFailure(namespace: string | undefined): { code: number | null } | undefined {
      const failure = faults.failQueries;
      if (!failure || failure.namespace !== namespace) return undefined;
      faults.failQueries = failure.count > 1 ? { ...failure, count: failure.count - 1 } : null;
      return { code: failure.code };
    },
  };
}
