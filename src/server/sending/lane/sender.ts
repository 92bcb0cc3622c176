import { failpoint } from "../../base/failpoint.ts";
import { isWarm } from "../ledger/known-conversations.ts";
import type { Backoff } from "./backoff.ts";
import type { BatchSize } from "./batch-size.ts";
import { type DeliverDeps, deliver, ended, givenBack } from "./deliver.ts";
import { type Delivered, type Delivery, finalResult, type Stop, wentOut } from "./delivered.ts";
import type { LaneDeps } from "./lane-deps.ts";
import { OutgoingMedia } from "./media.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import { outgoingMessage } from "./outgoing-message.ts";
import type { Pace } from "./pace.ts";
import type { PlanGate } from "./plan-gate.ts";
import { mayHaveArrived, type Recipient } from "./recipient.ts";
import type { RecipientBreaker } from "./recipient-breaker.ts";
import { knownAddress, type ResolveDeps, resolveAddress } from "./resolve-address.ts";
import { deliverUnit, hasBegun, isUnit, type UnitDeps } from "./unit.ts";
import { WireMarks } from "./wire-marks.ts";

type SenderParts = {
  pace: Pace;
  plan: PlanGate;
  breaker: RecipientBreaker;
  backoff: Backoff;
  batch: BatchSize;
  recorder: OutcomeRecorder;
  /** A database error or a bug: the lane ends. */
  failed(error: unknown): void;
  settled(recipient: Recipient): void;
};

type Where = Awaited<ReturnType<typeof resolveAddress>>;

/** Takes one recipient from the queue to the outcome: address, message, breaker, record. */
export class Sender {
  readonly #deps: LaneDeps;
  readonly #parts: SenderParts;
  readonly #resolve: ResolveDeps;
  readonly #deliver: DeliverDeps;
  readonly #keys: { messageKey: Buffer; takesOurIds: boolean };
  readonly #unit: UnitDeps;

  constructor(deps: LaneDeps, parts: SenderParts) {
    const { db, prepared, transport, connectionId, fence, mayAct } = deps;
    this.#deps = deps;
    this.#parts = parts;
    this.#keys = { messageKey: deps.messageKey, takesOurIds: transport.takesOurIds };
    const media = new OutgoingMedia(db, transport, deps.readFile);
    const asks = {
      transport,
      mayAct,
      takeSlot: (isDirect: boolean) => parts.pace.takeSlot(isDirect),
      isWarm: (phone: string) => isWarm(db, connectionId, phone),
    };
    this.#resolve = {
      ...asks,
      connectionId,
      db,
      prepared,
      book: deps.book ?? null,
      hidden: deps.hidden ?? (async () => false),
    };
    this.#deliver = {
      ...asks,
      clock: deps.clock,
      times: deps.times,
      resendsDoubts: deps.resendsDoubts,
      marks: deps.accepted ? new WireMarks(db, prepared, fence) : null,
      media: ({ owner }, attachmentId) =>
        owner.kind === "person"
          ? media.ofCampaign({ id: owner.campaignId, part: owner.part, attachmentId })
          : media.ofDirect({ id: owner.outboxId, attachmentId }),
    };
    this.#unit = { keys: this.#keys, deliver: this.#deliver, prepared, fence, accepted: deps.accepted };
  }

  /** Never rejects. Awaits only when needed: at thousands a second each promise counts. */
  async send(recipient: Recipient): Promise<void> {
    const { breaker, plan, recorder, failed, settled } = this.#parts;
    const begun = this.#deps.clock.monotonic();
    try {
      const delivery = await (plan.isOn() ? this.#planned(recipient) : this.#delivered(recipient));
      const { result, stop } = delivery.stop
        ? await breaker.onStop(recipient, delivery.result, delivery.stop)
        : delivery;
      this.#count(result, stop, begun);
      this.#report(recipient, result, stop);
      const recorded = recorder.record(recipient, result);
      if (recorded) await recorded;
    } catch (error) {
      failed(error);
    }
    settled(recipient);
  }

  /** Under a plan a new conversation is counted before it begins, and not if it surely did not. */
  async #planned(recipient: Recipient): Promise<Delivery> {
    const { plan } = this.#parts;
    // The conversation of a unit began with its first message, perhaps in an earlier claim.
    if (isUnit(recipient) && (await hasBegun(this.#unit, recipient))) plan.inDoubt(recipient);
    const taken = await plan.take(recipient);
    if (taken === "denied") return givenBack(this.#deliver, { cause: "new_conversation", retryAt: null });
    const delivery = await this.#delivered(recipient);
    if (isUnsent(delivery)) await plan.takeBack(taken);
    else if (delivery.result.to === "waiting") plan.inDoubt(recipient);
    return delivery;
  }

  #delivered(recipient: Recipient): Promise<Delivery> | Delivery {
    const known = knownAddress(recipient);
    if (known) return this.#deliveredTo(recipient, known);
    return resolveAddress(this.#resolve, recipient).then((where) => this.#deliveredTo(recipient, where));
  }

  #deliveredTo(recipient: Recipient, where: Where): Promise<Delivery> | Delivery {
    if (where.kind !== "address") return this.#withoutAddress(recipient, where);
    if (isUnit(recipient)) return deliverUnit(this.#unit, recipient, where.address);
    return deliver(this.#deliver, outgoingMessage(this.#keys, recipient, where.address), recipient.signal);
  }

  #withoutAddress(recipient: Recipient, where: Exclude<Where, { kind: "address" }>): Delivery {
    if (where.kind === "stop") return givenBack(this.#deliver, where.stop);
    const arrived = mayHaveArrived(recipient);
    return ended(
      this.#deliver,
      where.kind === "absent"
        ? finalResult(arrived, "error", "not_on_whatsapp")
        : finalResult(arrived, "skipped", "duplicate"),
    );
  }

  /** Unsent returns are no attempts: an offline channel would count the same people repeatedly. */
  #count(result: Delivered, stop: Stop | null, begun: number): void {
    const { figures, clock } = this.#deps;
    if (!figures || stop) return;
    if (wentOut(result) || result.to !== "waiting" || result.attempts > 0)
      figures.attempted(figures.kind, result.to, clock.monotonic() - begun);
  }

  #report(recipient: Recipient, result: Delivered, stop: Stop | null): void {
    const { breaker, backoff, batch } = this.#parts;
    if (wentOut(result)) failpoint("acknowledged");
    batch.countSettled();
    if (!stop) breaker.onOutcome(recipient, result);
    else if (stop.cause !== "new_conversation") backoff.stopped(stop);
    if (!stop && wentOut(result)) backoff.reached();
  }
}

const isUnsent = ({ result, begun }: Delivery): boolean =>
  !begun && !wentOut(result) && result.to !== "uncertain" && !result.ambiguous;
