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
  /** The next logins fail with this code (401, 403, 405, 500, 503 …) or get no answer (null), for one number or for all. */
  failLogins: { code: number | null; count: number; phone: string | null; expire: number | null } | null;
  /** Queries of this namespace (`usync`, `encrypt`, `w:m` …) fail with the code, get no answer (null), or cut the socket. */
  failQueries: { namespace: string; code: number | "cut" | null; count: number } | null;
  /** Answers to queries of this namespace come so late. */
  delayQueries: { namespace: string; ms: number; count: number } | null;
  /** The next look-ups of numbers bring nobody: an empty list, or this error of the protocol in a successful answer. */
  bareLookups: { code: number | null; count: number } | null;
  /** No keys are given out of linked devices: they were removed, and are still told of. */
  deadCompanions: boolean;
  /** Nobody can connect: new sockets are cut before a word is said. */
  unreachable: boolean;
  /** The next sockets are refused with this HTTP status before they are one, as an edge or a proxy does. */
  refuseUpgrades: { status: number; count: number } | null;
  /** So many uploads are answered 500 by the media host. */
  failUploads: number;
  /** So many uploads get the head of an answer and half its body before the media host cuts the connection. */
  cutUploads: number;
  /** So many uploads get an answer that trickles in and never ends. */
  dripUploads: number;
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
  delayQueries: null,
  bareLookups: null,
  deadCompanions: false,
  unreachable: false,
  refuseUpgrades: null,
  failUploads: 0,
  cutUploads: 0,
  dripUploads: 0,
  refreshOnFirstScan: false,
  rejectPairingCode: false,
};

type Counter =
  | "dropAcks"
  | "cutBeforeAccept"
  | "cutAfterAccept"
  | "failUploads"
  | "cutUploads"
  | "dripUploads";

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
    takeUpgradeRefusal(): number | undefined {
      const refusal = faults.refuseUpgrades;
      if (!refusal) return undefined;
      faults.refuseUpgrades = refusal.count > 1 ? { ...refusal, count: refusal.count - 1 } : null;
      return refusal.status;
    },
    takeLoginFailure(phone: string | null): { code: number | null; expire: number | null } | undefined {
      const failure = faults.failLogins;
      if (!failure || (failure.phone !== null && failure.phone !== phone)) return undefined;
      faults.failLogins = failure.count > 1 ? { ...failure, count: failure.count - 1 } : null;
      return failure;
    },
    takeBareLookup(): { code: number | null } | undefined {
      const bare = faults.bareLookups;
      if (!bare) return undefined;
      faults.bareLookups = bare.count > 1 ? { ...bare, count: bare.count - 1 } : null;
      return { code: bare.code };
    },
    takeQueryFailure(namespace: string | undefined): { code: number | "cut" | null } | undefined {
      const failure = faults.failQueries;
      if (!failure || failure.namespace !== namespace) return undefined;
      faults.failQueries = failure.count > 1 ? { ...failure, count: failure.count - 1 } : null;
      return { code: failure.code };
    },
    takeQueryDelay(namespace: string | undefined): number | undefined {
      const delay = faults.delayQueries;
      if (!delay || delay.namespace !== namespace) return undefined;
      faults.delayQueries = delay.count > 1 ? { ...delay, count: delay.count - 1 } : null;
      return delay.ms;
    },
  };
}
