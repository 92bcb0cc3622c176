import type { Clock } from "../../../domain/clock.ts";
import { AppError } from "../../../domain/errors.ts";
import { failpoint } from "../../base/failpoint.ts";
import { type Outcome, StopError, type Transport } from "../../transports/transport.ts";
import type { LaneTimes } from "../ledger/timing.ts";
import {
  ASIDE_CAUSES,
  type Delivered,
  type Delivery,
  finalResult,
  NOT_CONNECTED,
  type NotOut,
  notYet,
  type Stop,
} from "./delivered.ts";
import type { OutgoingMessage } from "./outgoing-message.ts";
import type { RecipientSignal } from "./recipient-signal.ts";
import type { WireMarks } from "./wire-marks.ts";

/** Resends of a doubt under its id; then a human decides. */
const MAX_TRIES_IN_DOUBT = 6;

export type DeliverDeps = {
  transport: Transport;
  clock: Clock;
  times: LaneTimes;
  /** False: doubts of a transport that takes our ids are not resent automatically (RECADO_RESEND=never). */
  resendsDoubts: boolean;
  /** Null where our id makes a resend harmless. */
  marks: WireMarks | null;
  /** The picture as the transport wants it. Throws `StopError`. */
  media(message: OutgoingMessage, attachmentId: number): Promise<unknown>;
  mayAct(): boolean;
  /** WhatsApp is asked: this uses the lane's slot. */
  takeSlot(isDirect: boolean): void;
  /** Has a conversation with the number; needed while WhatsApp refuses new ones. */
  isWarm(phone: string): Promise<boolean>;
};

type End = Pick<DeliverDeps, "clock" | "transport" | "times">;

/**
 * Sends one message and returns its outcome. Transport errors never throw (an error of `send` is a doubt);
 * database errors do and end the lane.
 */
export async function deliver(
  deps: DeliverDeps,
  message: OutgoingMessage,
  signal: RecipientSignal,
): Promise<Delivery> {
  const { transport, marks } = deps;
  let media: unknown = null;
  if (message.attachmentId !== null) {
    try {
      media = await deps.media(message, message.attachmentId);
    } catch (error) {
      return withoutFile(deps, message, error);
    }
  }
  // Awaits only when needed: at thousands a second each promise counts.
  const onWire = marks ? await markOf(marks, message) : undefined;
  if (onWire === "unread") return ended(deps, notYet(deps.times));
  if (onWire === null) return givenBack(deps, NOT_CONNECTED);
  try {
    const unwritten = beforeWrite(deps, message, signal);
    if (unwritten) return unwritten;
    // A gateway's reports are compared with the attempt's beginning, not its end a minute later.
    const begun = transport.takesOurIds ? null : deps.clock.now().getTime();
    let outcome: Outcome;
    try {
      outcome = await transport.send({
        to: message.to,
        messageId: message.messageId,
        text: message.text,
        media,
        hasAttachment: message.attachmentId !== null,
        bearing: message.bearing ?? null,
        signal,
        isWarm: () => deps.isWarm(message.phone),
        onWire,
      });
    } catch (error) {
      outcome = doubtOf(error);
    }
    return afterWrite(deps, message, signal, outcome, begun);
  } finally {
    onWire?.();
  }
}

const REFUSED_FILES = new Map([
  ["attachment_lost", "file_lost"],
  ["attachment_too_large", "file_too_large"],
]);

/** A lost file never comes back; a store that is away does. */
function withoutFile(deps: DeliverDeps, message: OutgoingMessage, error: unknown): Delivery {
  if (error instanceof StopError) return givenBack(deps, { cause: error.cause, retryAt: null });
  if (!(error instanceof AppError)) throw error;
  const code = REFUSED_FILES.get(error.code);
  if (code === undefined) return givenBack(deps, { cause: "upload_failed", retryAt: null });
  const refused = { kind: "refused", code, passing: false } as const;
  return { result: resultOf(deps, message, refused, null), stop: null };
}

export const ended = ({ clock }: Pick<End, "clock">, result: Omit<NotOut, "at">): Delivery => ({
  result: { ...result, at: clock.now().getTime() },
  stop: null,
});

/** Proven not sent: the recipient waits for another attempt. */
export function givenBack({ clock, transport, times }: End, stop: Stop | null): Delivery {
  const isAside = stop !== null && ASIDE_CAUSES.has(stop.cause) && transport.ready();
  const result: NotOut = {
    to: "waiting",
    at: clock.now().getTime(),
    error: null,
    attempts: 0,
    ambiguous: false,
    delayMs: isAside ? times.aside : 0,
  };
  return { result, stop };
}

function markOf(marks: WireMarks, { owner, phone, to }: OutgoingMessage) {
  if (owner.kind === "direct") return marks.direct(owner.outboxId);
  const { accountId, campaignId, seq } = owner;
  return marks.person({ accountId, campaignId, seq, phone, address: to });
}

/** Checked last, since look-ups, uploads and marks take time. Null: it may be written now. */
function beforeWrite(deps: DeliverDeps, message: OutgoingMessage, signal: RecipientSignal): Delivery | null {
  if (!deps.mayAct() || !deps.transport.ready()) return givenBack(deps, NOT_CONNECTED);
  const { optedOut } = signal;
  if (optedOut) return ended(deps, finalResult(message.mayHaveArrived, "skipped", optedOut));
  if (signal.aborted) return givenBack(deps, null);
  if (!message.follows) deps.takeSlot(message.owner.kind === "direct");
  failpoint("before_write");
  return null;
}

function afterWrite(
  deps: DeliverDeps,
  message: OutgoingMessage,
  signal: RecipientSignal,
  outcome: Outcome,
  begun: number | null,
): Delivery {
  if (outcome.kind !== "stop") {
    const stop = outcome.kind === "ambiguous" ? (outcome.stop ?? null) : null;
    return { result: resultOf(deps, message, outcome, begun), stop };
  }
  const { optedOut } = signal;
  if (optedOut) return ended(deps, finalResult(message.mayHaveArrived, "skipped", optedOut));
  const { cause, retryAt } = outcome;
  // The transport stopped because of the signal, not because of the channel.
  return givenBack(deps, cause === "not_connected" && signal.aborted ? null : { cause, retryAt });
}

/** Transports return errors; a throw is a bug that leaves the result unknown. */
function doubtOf(error: unknown): Outcome {
  return { kind: "ambiguous", reason: error instanceof Error ? error.message.slice(0, 200) : "unknown" };
}

const isAct = ({ bearing }: OutgoingMessage) => bearing != null && bearing.what !== "quote";

function resultOf(
  deps: DeliverDeps,
  message: OutgoingMessage,
  outcome: Exclude<Outcome, { kind: "stop" }>,
  begun: number | null,
): Delivered {
  const at = deps.clock.now().getTime();
  if (outcome.kind === "accepted") {
    const to = outcome.unconfirmed ? "accepted" : "sent";
    const { owner } = message;
    const part = owner.kind === "person" ? owner.part : 0;
    return { to, at: outcome.at, providerId: outcome.providerId, part };
  }
  // No report of a gateway tells one such act from another.
  if (outcome.kind === "ambiguous" && begun !== null && isAct(message))
    return { to: "uncertain", at, error: outcome.reason, attempts: 1, ambiguous: false, delayMs: 0 };
  if (outcome.kind === "ambiguous" && begun !== null) {
    const delayMs = deps.times.reconcile;
    return { to: "waiting", at: begun, error: outcome.reason, attempts: 1, ambiguous: true, delayMs };
  }
  if (outcome.kind === "ambiguous") {
    const again = deps.resendsDoubts && message.tries + 1 < MAX_TRIES_IN_DOUBT;
    const to = again ? "waiting" : "uncertain";
    return { to, at, error: again ? null : outcome.reason, attempts: 1, ambiguous: true, delayMs: 0 };
  }
  const delayMs = deps.times.retry[message.tries];
  if (outcome.passing && !message.ambiguous && delayMs !== undefined) {
    return { to: "waiting", at, error: outcome.code, attempts: 1, ambiguous: false, delayMs };
  }
  return { ...finalResult(message.mayHaveArrived, "error", outcome.code), at, attempts: 1 };
}
