/** Counts run down by themselves; default: all off. */
export type Faults = {
  refuseNext: { code: number; count: number } | null;
  dropAcks: number;
  /** `count` null: without end. */
  delayAcks: { ms: number; count: number | null } | null;
  cutBeforeAccept: number;
  cutAfterAccept: number;
  /** `code` null: no answer; `phone` null: all. */
  failLogins: { code: number | null; count: number; phone: string | null; expire: number | null } | null;
  /** Namespaces: `usync`, `encrypt`, `w:m` …; `code` null: no answer. */
  failQueries: { namespace: string; code: number | "cut" | null; count: number } | null;
  delayQueries: { namespace: string; ms: number; count: number } | null;
  /** An empty list, or this error inside a successful answer. */
  bareLookups: { code: number | null; count: number } | null;
  /** Removed devices, still listed. */
  deadCompanions: boolean;
  unreachable: boolean;
  refuseUpgrades: { status: number; count: number } | null;
  failUploads: number;
  cutUploads: number;
  /** A slow answer that never ends. */
  dripUploads: number;
  silentPhones: number;
  refreshOnFirstScan: boolean;
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
  silentPhones: 0,
  refreshOnFirstScan: false,
  rejectPairingCode: false,
};

type Counter =
  | "dropAcks"
  | "cutBeforeAccept"
  | "cutAfterAccept"
  | "failUploads"
  | "cutUploads"
  | "dripUploads"
  | "silentPhones";

export type FaultDesk = ReturnType<typeof makeFaultDesk>;

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
