import type { Clock } from "../../../domain/clock.ts";
import { failpoint } from "../../base/failpoint.ts";
import {
  type Address,
  type Outcome,
  type StopCause,
  StopError,
  type Transport,
} from "../../transports/transport.ts";
import type { Prepared } from "../addresses/addresses.ts";
import type { LeftOut } from "../ledger/signals.ts";
import type { LaneTimes } from "../ledger/timing.ts";

const MAY_BE_THEIRS: ReadonlySet<StopCause> = new Set([
  "not_connected",
  "lookup_failed",
  "devices_refused",
  "upload_failed",
  "new_conversation",
]);

/** Resends of a doubt under its id; then a human decides. */
const MAX_TRIES_IN_DOUBT = 6;

export type Parcel = {
  phone: string;
  single: boolean;
  tries: number;
  ambiguous: boolean;
  /** This or an earlier attempt may have arrived: a refusal then proves nothing. */
  doubtful: boolean;
  messageId: string;
  text: string;
  hasImage: boolean;
  prepared: Prepared | null;
  /** Opt-out reason, checked last: look-ups and uploads take time. */
  left(): LeftOut | null;
  /** Has a conversation with the number; needed while WhatsApp refuses new ones. */
  isWarm(): Promise<boolean>;
  /** Campaign paused or ended since, or a notification possibly missed; checked last. */
  halted(): boolean;
  /**
   * Marks the message before it is written; returns what to call after it. Null: no longer ours; `unread`: a
   * possible opt-out. Absent where our id makes a resend harmless.
   */
  begin?: ((to: Address) => Promise<(() => void) | null | "unread">) | undefined;
  /** Stores the look-up result (null: not on WhatsApp) before anything is sent. */
  remember(address: Address | null): Promise<Prepared>;
  /** Throws `StopError`. */
  media(): Promise<unknown>;
};

/** Outcome to record; `providerId` is the transport's own message id. */
export type Delivered =
  | { to: "sent" | "accepted"; at: number; providerId: string }
  | {
      to: "waiting" | "skipped" | "uncertain" | "error";
      at: number;
      error: string | null;
      attempts: number;
      ambiguous: boolean;
      delayMs: number;
    };

export const wentOut = <T extends { to: string }>(one: T): one is Extract<T, { to: "sent" | "accepted" }> =>
  one.to === "sent" || one.to === "accepted";

export type Stop = { cause: StopCause; retryAt: number | null | "human" };

export type DeliverDeps = {
  transport: Transport;
  clock: Clock;
  times: LaneTimes;
  /** False: doubts of a transport that takes our ids are not resent automatically (RECADO_RESEND=never). */
  resendsDoubts: boolean;
  mayAct(): boolean;
  /** Called when WhatsApp is actually asked: this uses the lane's slot. */
  usesSlot(single: boolean): void;
};

/**
 * Sends one message (address, image, text) and returns its outcome. Transport errors never throw (an error of
 * `send` is a doubt); database errors do and end the lane.
 */
export async function deliver(
  deps: DeliverDeps,
  parcel: Parcel,
): Promise<{ result: Delivered; stop: Stop | null }> {
  const { transport, clock } = deps;
  const end = (result: Omit<Exclude<Delivered, { providerId: string }>, "at">) => ({
    result: { ...result, at: clock.now().getTime() },
    stop: null,
  });
  const giveBack = (stop: Stop | null) => ({
    result: {
      to: "waiting" as const,
      at: clock.now().getTime(),
      error: null,
      attempts: 0,
      ambiguous: false,
      delayMs: stop && MAY_BE_THEIRS.has(stop.cause) && transport.ready() ? deps.times.aside : 0,
    },
    stop,
  });

  // Awaits only when needed: at thousands a second each promise counts.
  const known = knownAddress(parcel);
  const where = known ?? (await askAddress(deps, parcel));
  if ("stop" in where) return giveBack(where.stop);
  if (where.kind === "absent") return end(final(parcel, "error", "not_on_whatsapp"));
  if (where.kind === "taken") return end(final(parcel, "skipped", "duplicate"));

  let media: unknown = null;
  if (parcel.hasImage) {
    try {
      media = await parcel.media();
    } catch (error) {
      if (error instanceof StopError) return giveBack({ cause: error.cause, retryAt: null });
      throw error;
    }
  }
  const onWire = parcel.begin ? await parcel.begin(where.address) : undefined;
  if (onWire === "unread") return end(notYet(deps.times));
  if (onWire === null) return giveBack({ cause: "not_connected", retryAt: null });
  try {
    if (!deps.mayAct() || !transport.ready()) return giveBack({ cause: "not_connected", retryAt: null });
    const leftOut = parcel.left();
    if (leftOut) return end(final(parcel, "skipped", leftOut));
    if (parcel.halted()) return giveBack(null);
    deps.usesSlot(parcel.single);
    failpoint("before_write");
    // A gateway's reports are compared with the attempt's beginning, not its end a minute later.
    const begun = transport.takesOurIds ? null : clock.now().getTime();
    const { messageId, text, hasImage } = parcel;
    const left = () => parcel.left() !== null || parcel.halted();
    const { isWarm } = parcel;
    let outcome: Outcome;
    try {
      outcome = await transport.send({
        to: where.address,
        messageId,
        text,
        media,
        hasImage,
        left,
        isWarm,
        onWire,
      });
    } catch (error) {
      outcome = doubtOf(error);
    }
    const leftNow = parcel.left();
    if (outcome.kind === "stop" && leftNow) return end(final(parcel, "skipped", leftNow));
    if (outcome.kind === "stop") {
      const { cause, retryAt } = outcome;
      return giveBack(cause === "not_connected" && parcel.halted() ? null : { cause, retryAt });
    }
    const stop = outcome.kind === "ambiguous" ? (outcome.stop ?? null) : null;
    return { result: recorded(deps, parcel, outcome, begun), stop };
  } finally {
    onWire?.();
  }
}

export const notYet = ({ unread }: Pick<LaneTimes, "unread">) =>
  ({ to: "waiting", error: null, attempts: 0, ambiguous: false, delayMs: unread }) as const;

type Where = Exclude<Prepared, { kind: "unknown" }>;

function knownAddress({ prepared, phone }: Parcel): Where | null {
  if (prepared === null) return { kind: "address", address: { jid: phone, lid: null } };
  return prepared.kind === "unknown" ? null : prepared;
}

async function askAddress(deps: DeliverDeps, parcel: Parcel): Promise<Where | { stop: Stop }> {
  if (!deps.mayAct() || !deps.transport.ready()) return { stop: { cause: "not_connected", retryAt: null } };
  const lookup = deps.transport.lookup;
  if (!lookup) return { kind: "address", address: { jid: parcel.phone, lid: null } };
  deps.usesSlot(parcel.single);
  const answer = await lookup(parcel.phone, parcel.isWarm);
  if (answer.kind === "stop") return { stop: { cause: answer.cause, retryAt: answer.retryAt } };
  const stored = await parcel.remember(answer.kind === "found" ? answer.address : null);
  return stored.kind === "unknown" ? { stop: { cause: "lookup_failed", retryAt: null } } : stored;
}

/** Transports return errors; a throw is a bug that leaves the result unknown. */
function doubtOf(error: unknown): Outcome {
  return { kind: "ambiguous", reason: error instanceof Error ? error.message.slice(0, 200) : "unknown" };
}

/** After an ambiguous attempt a refusal proves nothing about the earlier one: the result is «A verificar». */
function final({ doubtful }: Parcel, to: "error" | "skipped", error: string) {
  return { to: doubtful ? ("uncertain" as const) : to, error, attempts: 0, ambiguous: false, delayMs: 0 };
}

function recorded(
  deps: DeliverDeps,
  parcel: Parcel,
  outcome: Exclude<Outcome, { kind: "stop" }>,
  begun: number | null,
): Delivered {
  const at = deps.clock.now().getTime();
  const tries = parcel.tries + 1;
  if (outcome.kind === "accepted") {
    const to = outcome.unconfirmed ? "accepted" : "sent";
    return { to, at: outcome.at, providerId: outcome.providerId };
  }
  if (outcome.kind === "ambiguous" && begun !== null) {
    const delayMs = deps.times.reconcile;
    return { to: "waiting", at: begun, error: outcome.reason, attempts: 1, ambiguous: true, delayMs };
  }
  if (outcome.kind === "ambiguous") {
    const again = deps.resendsDoubts && tries < MAX_TRIES_IN_DOUBT;
    const to = again ? "waiting" : "uncertain";
    return { to, at, error: again ? null : outcome.reason, attempts: 1, ambiguous: true, delayMs: 0 };
  }
  const delayMs = deps.times.retry[parcel.tries];
  if (outcome.passing && !parcel.ambiguous && delayMs !== undefined) {
    return { to: "waiting", at, error: outcome.code, attempts: 1, ambiguous: false, delayMs };
  }
  return { ...final(parcel, "error", outcome.code), at, attempts: 1 };
}
