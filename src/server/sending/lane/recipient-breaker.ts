import { readChatId } from "../../../domain/chat-id.ts";
import type { StopCause, Transport } from "../../transports/transport.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import { type Delivered, type Delivery, RECIPIENT_CAUSES, type Stop, wentOut } from "./delivered.ts";
import { keyOf, mayHaveArrived, type Recipient } from "./recipient.ts";

const TRIES = 5;
/** Pauses of 10, 30, 90, 270 s. */
const LONGER = 3;
/** WhatsApp refuses this person's devices. */
const REFUSED = "wa_479";
/** More stops than this without success: the channel is the cause. */
const FEW = 3;
/** Bounded: people who opt out or are cancelled never return. */
const REMEMBERED = 1_000;

/**
 * `first`, `last`: people reached when the first and latest try ended; `stop`: number of the lane's latest
 * stop.
 */
type Suspect = { tries: number; first: number; last: number; stop: number };

/**
 * Tells a bad recipient from a broken channel: five consecutive stops and another person reached since the
 * first (except at a campaign's end). Kept in memory: a new owner starts again, which is harmless.
 */
export class RecipientBreaker {
  readonly #transport: Transport;
  readonly #mayAct: () => boolean;
  readonly #ownPhone: () => string | null;
  readonly #suspects = new Map<string, Suspect>();
  #reached = 0;
  #stops = 0;

  constructor(transport: Transport, mayAct: () => boolean, ownPhone: () => string | null) {
    this.#transport = transport;
    this.#mayAct = mayAct;
    this.#ownPhone = ownPhone;
  }

  /** An outcome without a stop. */
  onOutcome(recipient: Recipient, { to }: Delivered): void {
    if (to === "sent" || to === "accepted") this.#reached += 1;
    if (this.#suspects.size > 0) this.#suspects.delete(keyOf(recipient));
  }

  /** What to record after a stop: returned, or given up (`unanswered` or refused). */
  async onStop(recipient: Recipient, result: Delivered, stop: Stop): Promise<Delivery> {
    const delivery = { result, stop };
    if (wentOut(result) || !RECIPIENT_CAUSES.has(stop.cause)) return delivery;
    if (!this.#transport.ready() || !this.#mayAct()) return delivery;
    const key = keyOf(recipient);
    const reached = this.#reached;
    const one = this.#suspects.get(key) ?? { tries: 0, first: reached, last: reached, stop: 0 };
    one.tries = await this.#triesOf(one, stop.cause);
    one.last = this.#reached;
    if (one.tries === 0) {
      this.#suspects.delete(key);
      return delivery;
    }
    this.#remember(key, one);
    if (one.tries < TRIES) {
      const delayMs = result.delayMs * LONGER ** (one.tries - 1);
      return { stop, result: { ...result, delayMs } };
    }
    this.#suspects.delete(key);
    return givenUp(recipient, result.at, stop.cause);
  }

  /** Suspects come last, the latest at the end, so that others are tried first. */
  suspectsLast<R extends Recipient>(recipients: R[]): R[] {
    if (this.#suspects.size === 0) return recipients;
    return recipients.toSorted((a, b) => this.#lastStopOf(a) - this.#lastStopOf(b));
  }

  #lastStopOf(recipient: Recipient): number {
    return this.#suspects.get(keyOf(recipient))?.stop ?? 0;
  }

  #remember(key: string, one: Suspect): void {
    this.#suspects.delete(key);
    this.#suspects.set(key, one);
    for (const oldest of this.#suspects.keys())
      if (this.#suspects.size > REMEMBERED) this.#suspects.delete(oldest);
    this.#stops += 1;
    one.stop = this.#stops;
  }

  /** Each later stop needs a working channel check or a success. */
  async #triesOf(one: Suspect, cause: StopCause): Promise<number> {
    if (one.tries === 0) return 1;
    const own = this.#ownPhone();
    if (!this.#transport.lookup || own === null) return this.#reached > one.last ? one.tries + 1 : one.tries;
    if (!this.#isApart(one, cause)) return one.tries;
    const answer = await this.#transport.lookup(own, async () => true);
    return answer.kind === "stop" ? 0 : one.tries + 1;
  }

  #isApart(one: Suspect, cause: StopCause): boolean {
    if (this.#reached > one.first) return true;
    const likeThem = [...this.#suspects.values()].filter(({ first }) => first === this.#reached);
    // Unsent messages say less than an unanswered look-up: perhaps none leaves.
    return (cause !== "not_connected" || this.#reached > 0) && likeThem.length <= FEW;
  }
}

function givenUp(recipient: Recipient, at: number, cause: StopCause): Delivery {
  return {
    result: {
      to: mayHaveArrived(recipient) ? "uncertain" : "error",
      at,
      error: cause === "devices_refused" ? REFUSED : "unanswered",
      attempts: 0,
      ambiguous: false,
      delayMs: 0,
    },
    stop: null,
  };
}

/** Own number; null while unknown. An instance takes it from its pairing. */
export function ownPhoneOf(
  taken: Pick<AcquiredConnection, "kind" | "deviceId">,
  pairing: string | null,
): string | null {
  if (taken.kind === "device") return taken.deviceId;
  const linked = readChatId(pairing ?? "");
  return linked.kind === "phone" ? linked.phone : null;
}
