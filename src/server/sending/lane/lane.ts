import type { LeftOut } from "../ledger/signals.ts";
import { Backoff } from "./backoff.ts";
import { BatchSize } from "./batch-size.ts";
import { sinceLastClaim } from "./campaign-states.ts";
import { Claims } from "./claims.ts";
import type { LaneDeps, UnrecordedOutcome } from "./lane-deps.ts";
import { reportLaneError } from "./lane-error.ts";
import { NumberChecks } from "./number-checks.ts";
import { onceARound } from "./once-a-round.ts";
import { OutcomeBuffer } from "./outcome-buffer.ts";
import { OutcomeRecorder } from "./outcome-recorder.ts";
import { Pace } from "./pace.ts";
import { PlanGate } from "./plan-gate.ts";
import { RecipientBreaker } from "./recipient-breaker.ts";
import { RecipientQueue } from "./recipient-queue.ts";
import { Sender } from "./sender.ts";
import { Wakeup } from "./wakeup.ts";
import { Work } from "./work.ts";

/**
 * One connection's paced queue, in `transport.slots` slots. Runs until `close`, or until the ownership is
 * lost.
 */
export class Lane {
  readonly #deps: LaneDeps;
  readonly #wakeup: Wakeup;
  readonly #outcomes: OutcomeBuffer;
  readonly #backoff: Backoff;
  readonly #batch: BatchSize;
  readonly #pace: Pace;
  readonly #work: Work;
  readonly #queue: RecipientQueue;
  readonly #claims: Claims;
  readonly #sender: Sender;
  readonly #checks: NumberChecks;
  readonly #onSettled = onceARound(() => this.#afterSettled());
  readonly #unsubscribe: () => void;
  readonly #running: Promise<void>;
  #closing = false;
  #over = false;
  #cancelDispatch: (() => void) | null = null;

  constructor(deps: LaneDeps) {
    const { clock, times, transport } = deps;
    this.#deps = deps;
    this.#wakeup = new Wakeup(deps.after);
    this.#outcomes = new OutcomeBuffer(clock, deps.fence);
    this.#backoff = new Backoff(deps);
    this.#batch = new BatchSize(transport, clock, times.flush, this.#outcomes);
    const plan = new PlanGate(deps);
    this.#pace = new Pace(clock, deps.random, claimsEarly(deps), plan);
    this.#work = new Work(deps, this.#pace, plan);
    const breaker = new RecipientBreaker(transport, deps.mayAct, deps.ownPhone ?? (() => null));
    const recorder = this.#openRecorder();
    this.#queue = new RecipientQueue(
      clock,
      (recipient, result) => void recorder.record(recipient, result)?.catch(() => this.#end("database")),
    );
    const parts = { outcomes: this.#outcomes, pace: this.#pace, plan, batch: this.#batch, breaker };
    this.#claims = new Claims(deps, {
      ...parts,
      queue: this.#queue,
      work: this.#work,
      lost: () => this.#end("lost"),
    });
    this.#sender = new Sender(deps, {
      ...parts,
      backoff: this.#backoff,
      recorder,
      failed: (error) => this.#fail(error),
      settled: (recipient) => {
        this.#queue.settled(recipient);
        this.#onSettled();
      },
    });
    this.#checks = new NumberChecks(deps);
    this.#unsubscribe = transport.onReady(() => {
      this.#backoff.onReady();
      this.#wakeup.wake();
    });
    this.#running = this.#run();
  }

  wake(): void {
    this.#checks.wake();
    this.#work.lookAgain();
    this.#wakeup.wake();
  }

  /** A direct message is stored: it goes first and delays nothing. */
  wakeForDirect(): void {
    this.#work.hasDirect = true;
    this.#wakeup.wake();
  }

  /** Campaigns leave this person out now, unless their message is on the wire. */
  optOut(phone: string, why: LeftOut): void {
    this.#claims.optOut(phone, why);
    this.#queue.optOut(phone, why);
    this.#wakeup.wake();
  }

  /** Notifications may have been lost: claimed people go back for a new check. */
  optOutsMissed(): void {
    this.#claims.optOutsMissed();
    this.#queue.halt(() => true, "unchecked");
    this.wake();
  }

  /**
   * Stops claiming, waits up to `ms` for messages in flight, records and returns the rest. Returns unrecorded
   * outcomes.
   */
  async close(ms: number): Promise<UnrecordedOutcome[]> {
    this.#closing = true;
    this.#checks.close();
    this.#wakeup.wake();
    const enough = Promise.withResolvers<void>();
    const timer = setTimeout(enough.resolve, ms);
    await Promise.race([this.#running.then(() => this.#queue.allSettled()), enough.promise]);
    clearTimeout(timer);
    this.#over = true;
    this.#queue.close();
    this.#wakeup.wake();
    const unstored = this.#deps.accepted?.unstored() ?? [];
    const proven = this.#outcomes.proven();
    return unstored.length > 0 ? [...proven, { accepted: unstored }] : proven;
  }

  async #run(): Promise<void> {
    try {
      this.#pace.startFrom(await sinceLastClaim(this.#deps.db, this.#deps.connectionId));
      while (!this.#over && !this.#isFinished()) {
        const acted = await this.#step();
        this.#dispatch();
        if (!acted && !this.#over) await this.#nextSignal();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#checks.close();
      this.#unsubscribe();
      this.#backoff.close();
      this.#cancelDispatch?.();
    }
  }

  async #step(): Promise<boolean> {
    if (this.#deps.clock.monotonic() >= this.#work.lookAt()) this.#work.lookAgain();
    if (this.#work.isOutdated() && !this.#closing) {
      await this.#look();
      return true;
    }
    if (this.#isIdle()) {
      this.#queue.giveBack(() => true);
      return this.#claims.flush();
    }
    return this.#claims.next();
  }

  async #look(): Promise<void> {
    const known = new Set(this.#work.campaigns().map(({ id }) => id));
    await this.#work.look();
    if (this.#work.campaigns().some(({ id }) => !known.has(id))) this.#deps.transport.campaignBegins?.();
    // A pause takes effect at once: people of stopped campaigns go back.
    this.#queue.halt(({ campaign }) => !this.#work.find(campaign.id));
    // Claimed at full speed before a paced campaign joined the lane: they wait for their turn.
    if (this.#pace.isOn() && this.#queue.waiting > 1) this.#queue.giveBackPeople();
  }

  #dispatch(): void {
    this.#claims.followRestriction();
    while (this.#maySend()) {
      const first = this.#queue.first();
      if (!first) return;
      const wait = this.#pace.leavesIn(first);
      if (wait > 0) {
        this.#cancelDispatch?.();
        this.#cancelDispatch = this.#deps.after(wait, () => this.#dispatch());
        return;
      }
      if (first.kind === "person") this.#claims.personLeft();
      this.#queue.sendFirst(this.#send);
    }
  }

  readonly #send = (recipient: Parameters<Sender["send"]>[0]) => this.#sender.send(recipient);

  /** Nothing leaves while a notified change is unknown: it may be a pause. */
  #maySend(): boolean {
    if (this.#over || this.#work.isOutdated() || this.#queue.waiting === 0) return false;
    return this.#queue.inFlight < this.#deps.transport.slots && !this.#isIdle();
  }

  #isIdle(): boolean {
    return this.#closing || !this.#deps.transport.ready() || !this.#deps.mayAct() || this.#backoff.waits();
  }

  /** With shared commits a completed send need not wake the loop. */
  #afterSettled(): void {
    this.#dispatch();
    const isWorkDue = this.#isIdle() || this.#claims.mustFlush() || this.#claims.room() > 0;
    if (isWorkDue || this.#work.hasDirect) this.#wakeup.wake();
  }

  #isFinished(): boolean {
    return this.#closing && this.#queue.isEmpty() && this.#outcomes.size() === 0;
  }

  #nextSignal(): Promise<void> {
    const at = Math.min(this.#nextAt(), this.#work.lookAt());
    return this.#wakeup.wait(Math.max(1, at - this.#deps.clock.monotonic()));
  }

  #nextAt(): number {
    const { clock } = this.#deps;
    const recordAt =
      this.#outcomes.size() > 0
        ? clock.monotonic() - this.#outcomes.age() + this.#batch.shareMs
        : Number.POSITIVE_INFINITY;
    if (this.#backoff.waits()) return Math.min(recordAt, this.#backoff.until());
    if (this.#isIdle() || this.#claims.room() === 0) return recordAt;
    return Math.min(recordAt, this.#claims.nextClaimAt());
  }

  #openRecorder(): OutcomeRecorder {
    const { db, fence, accepted, after } = this.#deps;
    return new OutcomeRecorder({
      db,
      fence,
      accepted,
      outcomes: this.#outcomes,
      buffered: () => this.#wakeup.wake(),
      finishedDirect: (ms) => {
        this.#work.hasDirect = true;
        // An earlier query would not claim it, and the next look may be 5 s away.
        if (ms !== null) after(ms, () => this.wakeForDirect());
      },
    });
  }

  #fail(error: unknown): void {
    reportLaneError(this.#deps.log, this.#deps.connectionId, error);
    this.#end("database");
  }

  #end(reason: "lost" | "database"): void {
    if (this.#over) return;
    this.#over = true;
    this.#wakeup.wake();
    this.#deps.ended(reason);
  }
}

/** Only where people claimed but not sent at a crash are sent later, not left to a human. */
function claimsEarly({ transport, resendsDoubts, accepted }: LaneDeps): boolean {
  return transport.takesOurIds ? resendsDoubts : accepted !== undefined;
}
