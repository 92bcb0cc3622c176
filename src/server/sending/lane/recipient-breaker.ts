import { readChatId } from "../../../domain/chat-id.ts";
import type { StopCause, Transport } from "../../transports/transport.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import { mayHaveIt } from "../ledger/turn.ts";
import { type Delivered, type Stop, wentOut } from "./deliver.ts";
import type { Item } from "./outgoing.ts";

/** Stops reported as the channel's that one person may cause; a picture concerns its whole campaign. */
const MAY_BE_THEIRS: ReadonlySet<StopCause> = new Set(["not_connected", "lookup_failed", "devices_refused"]);

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

type Result = { result: Delivered; stop: Stop | null };

export type RecipientBreaker = {
  cleared(item: Item, result: Delivered): void;
  /** Result to record: returned, or given up (`unanswered` or refused). */
  judged(item: Item, result: Delivered, stop: Stop): Promise<Result>;
  /** Suspects come last, the latest at the end, so that others are tried first. */
  suspectsLast(items: Item[]): Item[];
};

/**
 * Five consecutive stops and another person reached since the first (except at a campaign's end); each later
 * stop needs a working channel check or a success. Kept in memory: a new owner starts again, which is
 * harmless.
 */
export function recipientBreaker(
  transport: Transport,
  mayAct: () => boolean,
  ownPhone: () => string | null,
): RecipientBreaker {
  const suspects = new Map<string, Suspect>();
  let reached = 0;
  let stops = 0;
  const lastStop = (item: Item) => suspects.get(keyOf(item))?.stop ?? 0;

  function apart(one: Suspect, cause: StopCause): boolean {
    if (reached > one.first) return true;
    const likeThem = [...suspects.values()].filter(({ first }) => first === reached);
    // Unsent messages say less than an unanswered look-up: perhaps none leaves.
    return (cause !== "not_connected" || reached > 0) && likeThem.length <= FEW;
  }

  async function triesOf(one: Suspect, cause: StopCause): Promise<number> {
    if (one.tries === 0) return 1;
    const own = ownPhone();
    if (!transport.lookup || own === null) return reached > one.last ? one.tries + 1 : one.tries;
    if (!apart(one, cause)) return one.tries;
    return (await transport.lookup(own, async () => true)).kind === "stop" ? 0 : one.tries + 1;
  }

  function givenUp(item: Item, at: number, cause: StopCause): Result {
    const inDoubt = item.kind === "person" ? mayHaveIt(item.person) : item.message.ambiguous;
    const error = cause === "devices_refused" ? REFUSED : "unanswered";
    const result = { at, error, attempts: 0, ambiguous: false, delayMs: 0 };
    return { result: { ...result, to: inDoubt ? "uncertain" : "error" }, stop: null };
  }

  return {
    cleared(item, { to }) {
      if (to === "sent" || to === "accepted") reached += 1;
      if (suspects.size > 0) suspects.delete(keyOf(item));
    },
    async judged(item, result, stop) {
      const delivered = { result, stop };
      if (wentOut(result) || !MAY_BE_THEIRS.has(stop.cause) || !transport.ready() || !mayAct())
        return delivered;
      const key = keyOf(item);
      const one = suspects.get(key) ?? { tries: 0, first: reached, last: reached, stop: 0 };
      one.tries = await triesOf(one, stop.cause);
      one.last = reached;
      if (one.tries === 0) {
        suspects.delete(key);
        return delivered;
      }
      suspects.delete(key);
      suspects.set(key, one);
      for (const oldest of suspects.keys()) if (suspects.size > REMEMBERED) suspects.delete(oldest);
      stops += 1;
      one.stop = stops;
      if (one.tries < TRIES)
        return { stop, result: { ...result, delayMs: result.delayMs * LONGER ** (one.tries - 1) } };
      suspects.delete(key);
      return givenUp(item, result.at, stop.cause);
    },
    suspectsLast: (items) =>
      suspects.size === 0 ? items : items.toSorted((a, b) => lastStop(a) - lastStop(b)),
  };
}

const keyOf = (item: Item): string =>
  item.kind === "person" ? `${item.campaign.id} ${item.person.seq}` : String(item.message.id);

/** Own number; null while unknown. An instance takes it from its pairing. */
export function ownPhoneOf(
  taken: Pick<AcquiredConnection, "kind" | "deviceId">,
  pairing: string | null,
): string | null {
  if (taken.kind === "device") return taken.deviceId;
  const linked = readChatId(pairing ?? "");
  return linked.kind === "phone" ? linked.phone : null;
}
