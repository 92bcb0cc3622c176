import { AppError } from "../../../domain/errors.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import type { Changed } from "../receipts/provider-receipts.ts";
import {
  acquireConnection,
  type Doubt,
  type Renewed,
  releaseLane,
  removeConnection,
  takeCodeWish,
} from "./acquire.ts";
import type { Leases } from "./leases.ts";
import { type HeldLane, type OpenLaneDeps, openLane } from "./open-lane.ts";
import { UnrecordedOutcomes } from "./unrecorded.ts";

/** Time for messages in flight when a person ends a session or a lane failed. */
const ENDING_MS = 10_000;
const FAILED_MS = 1_000;
/** Retry delay after failing to open or end, for example with unreadable credentials. */
const REST_MS = 30_000;

export type HeldLanesDeps = OpenLaneDeps & {
  /** Asks the database for a newer schema: then no connection is acquired. */
  outdated?: () => Promise<boolean>;
};

type Hooks = {
  opened(lane: HeldLane): void;
  /** A lane is released: other lanes may be acquired. */
  dropped(): void;
  publish(changed: readonly Changed[]): void;
};

/** The connections that this process owns: acquires, follows what people want of them, and releases. */
export class HeldLanes {
  readonly unrecorded: UnrecordedOutcomes;
  readonly #deps: HeldLanesDeps;
  readonly #owner: string;
  readonly #leases: Leases;
  readonly #hooks: Hooks;
  readonly #doubt: Doubt;
  readonly #held = new Map<number, HeldLane>();
  readonly #opening = new Map<number, string>();
  readonly #dropping = new Map<number, Promise<void>>();
  readonly #restsUntil = new Map<number, number>();
  #closing = false;
  #closeMs = FAILED_MS;

  constructor(deps: HeldLanesDeps, owner: string, leases: Leases, hooks: Hooks) {
    this.#deps = deps;
    this.#owner = owner;
    this.#leases = leases;
    this.#hooks = hooks;
    this.#doubt = deps.resend === "never" ? "uncertain" : "resend";
    this.unrecorded = new UnrecordedOutcomes(deps.database, deps.log);
  }

  get size(): number {
    return this.#held.size;
  }

  all(): IterableIterator<HeldLane> {
    return this.#held.values();
  }

  find(connectionId: number): HeldLane | undefined {
    return this.#held.get(connectionId);
  }

  /** Including those that are being opened. */
  countOf(kind: string): number {
    const held = [...this.#held.values()].filter(({ taken }) => taken.kind === kind);
    const opening = [...this.#opening.values()].filter((one) => one === kind);
    return held.length + opening.length;
  }

  /** Connections that must not be acquired now. */
  unavailable(): number[] {
    const now = this.#deps.clock.monotonic();
    for (const [id, until] of this.#restsUntil) if (until <= now) this.#restsUntil.delete(id);
    return [...this.#restsUntil.keys(), ...this.#opening.keys(), ...this.#dropping.keys()];
  }

  rest(connectionId: number): void {
    this.#restsUntil.set(connectionId, this.#deps.clock.monotonic() + REST_MS);
  }

  /** A person changed something: it may be opened again at once. */
  stopResting(connectionId: number): void {
    this.#restsUntil.delete(connectionId);
  }

  logError(connectionId: number, error: unknown): void {
    const details = error instanceof AppError ? { details: error.details } : {};
    this.#deps.log.warn({ err: error, ...details, connectionId }, "connection error");
  }

  /** False: not acquired. Rejects on database errors. */
  async open(id: number, kind: string): Promise<boolean> {
    if (this.#closing || this.#opening.has(id)) return false;
    this.#opening.set(id, kind);
    try {
      // A process frozen during a schema change must not acquire a lane.
      if (await this.#deps.outdated?.()) return false;
      await this.drop(id);
      const renewedAt = this.#leases.renewedAt();
      const { database, times } = this.#deps;
      const taken = await acquireConnection(database.db, id, this.#owner, this.#doubt, times.reconcile);
      if (!taken) return false;
      this.#leases.taken(id, taken.fence, renewedAt);
      await this.unrecorded.flush(id);
      await this.#start(taken).catch((error: unknown) => this.#notStarted(taken, error));
      return true;
    } finally {
      this.#opening.delete(id);
    }
  }

  /** Lanes whose lease is another's are dropped; the others follow what people want. */
  follow(renewed: readonly Renewed[]): void {
    const known = new Map(renewed.map((one) => [one.connectionId, one]));
    for (const [id, one] of this.#held) if (known.get(id)?.fence !== one.taken.fence) void this.drop(id);
    for (const [id, now] of known) {
      const one = this.#held.get(id);
      if (one) this.#obey(one, now);
      // The release failed: without a retry its lease is renewed for ever and no process can acquire it.
      else if (!this.#opening.has(id) && !this.#dropping.has(id)) this.#dropping.set(id, this.#release(now));
    }
  }

  /** Lets messages in flight end first. Never rejects. */
  async giveUp(id: number, reason: string): Promise<void> {
    const one = this.#held.get(id);
    if (!one) return;
    one.ending = true;
    this.#deps.log.info({ connectionId: id, reason }, "lane given up");
    this.unrecorded.add(id, await one.lane.close(ENDING_MS));
    await this.drop(id);
  }

  /** Closes a lane and releases its connection; a wanted one is acquired again. Never rejects. */
  drop(id: number): Promise<void> {
    const one = this.#held.get(id);
    if (!one) return this.#dropping.get(id) ?? Promise.resolve();
    this.#held.delete(id);
    const done = this.#end(id, one).finally(() => {
      this.#dropping.delete(id);
      if (!this.#closing) this.#hooks.dropped();
    });
    this.#dropping.set(id, done);
    return done;
  }

  /** No connection is acquired any more. */
  stopOpening(closeMs: number): void {
    this.#closing = true;
    this.#closeMs = closeMs;
  }

  async dropAll(): Promise<void> {
    for (const id of this.#held.keys()) void this.drop(id);
    await Promise.all(this.#dropping.values());
  }

  async #start(taken: AcquiredConnection): Promise<void> {
    const { connectionId, accountId, fence, desired } = taken;
    const ours = () => {
      const one = this.#held.get(connectionId);
      return one?.taken.fence === fence ? one : undefined;
    };
    const one = await openLane(this.#deps, taken, {
      mayAct: () => this.#leases.mayAct(connectionId, fence),
      lost: () => void (ours() && this.drop(connectionId)),
      lane: () => ours()?.lane,
      publish: this.#hooks.publish,
      failed: (error) => this.logError(connectionId, error),
    });
    this.#held.set(connectionId, one);
    this.#hooks.opened(one);
    this.#obey(one, { connectionId, fence, desired, pairingCodeWanted: false });
    this.#deps.mark(accountId, "connections", connectionId);
  }

  async #notStarted(taken: AcquiredConnection, error: unknown): Promise<void> {
    this.#deps.log.error({ err: error, connectionId: taken.connectionId }, "connection not opened");
    this.rest(taken.connectionId);
    await this.#release(taken);
  }

  #obey(one: HeldLane, now: Renewed): void {
    this.#follow(one, now).catch((error: unknown) => this.logError(now.connectionId, error));
  }

  async #follow(one: HeldLane, now: Renewed): Promise<void> {
    if (one.ending) return;
    const { connectionId } = now;
    if (now.pairingCodeWanted && (await takeCodeWish(this.#deps.database.db, connectionId)))
      void one.transport
        .requestPairingCode()
        .catch((error) => this.#deps.log.warn({ err: error, connectionId }, "no pairing code"));
    // Repeated each time: only a stopped device (codes expired, logged out) acts on it.
    if (now.desired === "connected") return one.transport.connect();
    one.ending = true;
    this.unrecorded.add(connectionId, await one.lane.close(ENDING_MS));
    await this.#endSession(one, now.desired === "removed");
    await this.drop(connectionId);
  }

  async #endSession({ taken, transport }: HeldLane, isRemoved: boolean): Promise<void> {
    const { connectionId, accountId } = taken;
    const ending = isRemoved && transport.remove ? transport.remove() : transport.logout();
    await ending.catch((error: unknown) => {
      this.logError(connectionId, error);
      this.rest(connectionId);
    });
    if (!isRemoved) return;
    const removed = removeConnection(this.#deps.database.db, taken);
    await removed.catch((error: unknown) => this.logError(connectionId, error));
    this.#deps.mark(accountId, "connections", connectionId);
    this.#deps.mark(accountId, "campaigns");
  }

  async #end(id: number, { lane, gate, transport, taken }: HeldLane): Promise<void> {
    gate.end();
    const attempt = (work: Promise<void>) => work.catch((error: unknown) => this.logError(id, error));
    this.unrecorded.add(id, await lane.close(this.#closeMs));
    await attempt(this.unrecorded.flush(id));
    await attempt(transport.close());
    this.unrecorded.add(id, await lane.close(0));
    await this.#release(taken);
  }

  /** Unrecorded outcomes first: the release makes claimed people doubts. Never rejects. */
  async #release(lane: Pick<AcquiredConnection, "connectionId" | "fence">): Promise<void> {
    const { connectionId } = lane;
    const { database, times } = this.#deps;
    const attempt = (work: Promise<unknown>) =>
      work.catch((error: unknown) => this.logError(connectionId, error));
    await attempt(this.unrecorded.flush(connectionId));
    await attempt(releaseLane(database.db, lane, this.#owner, this.#doubt, times.reconcile));
    this.#leases.forget(connectionId);
    this.#dropping.delete(connectionId);
  }
}
