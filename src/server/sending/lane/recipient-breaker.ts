import { readChatId } from "../../../domain/chat-id.ts";
import type { StopCause, Transport } from "../../transports/transport.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import { mayHaveIt } from "../ledger/turn.ts";
import { type Delivered, type Stop, wentOut } from "./deliver.ts";
import type { Item } from "./outgoing.ts";

/** Stops that may come from one person, although they are told as the channel's. A picture belongs to all of its campaign. */
const MAY_BE_THEIRS: ReadonlySet<StopCause> = new Set(["not_connected", "lookup_failed", "devices_refused"]);

/** So many tries in a row that stop at one person, while the channel works for others, and they are given up. */
const TRIES = 5;
/** Each pause before the next try is so many times as long as the one before: 10, 30, 90, 270 s. */
const LONGER = 3;
/** WhatsApp's own word about them: it refuses the message over the devices of theirs that it is written for. */
const REFUSED = "wa_479";
/** More people than these at whom it stops, with nobody reached since: then it is the channel, whatever it answers of itself. */
const FEW = 3;
/** Whoever leaves, or whose campaign is cancelled, is never heard of again: so many are remembered, the latest. */
const REMEMBERED = 1_000;

/**
 * `first` and `last`: how many people had been reached when the first and the latest of the tries in a row ended; `stop`: which of the
 * lane's stops the latest was.
 */
type Suspect = { tries: number; first: number; last: number; stop: number };

type Result = { result: Delivered; stop: Stop | null };

/** Tells a stop that one person causes from a stop of the channel, and gives such a person up in the end. */
export type RecipientBreaker = {
  /** The channel did not stop at this item: whatever became of it, nothing counts against it any more. */
  cleared(item: Item, result: Delivered): void;
  /** The channel stopped at this item: given back once more, as it is to be recorded, or given up: `unanswered`, or refused. */
  judged(item: Item, result: Delivered, stop: Stop): Promise<Result>;
  /** Those at whom it stopped come after everybody else, the latest last: the others are tried in between. */
  suspectsLast(items: Item[]): Item[];
};

/**
 * A person is at fault only on proof: five tries in a row stopped at them, somebody else was reached after the first, and after each of
 * the later ones the channel was asked about its own number and answered; where it cannot be asked, somebody was reached between the
 * tries. After the last few of a campaign nobody comes: for them the answer about the own number is enough. So an outage of the channel
 * is nobody's fault, however long it lasts. Kept in memory: a new owner of the lane begins to count anew, which harms nobody.
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

  /** What sets this person apart from everybody else, so that it is worth asking whether the channel works. */
  function apart(one: Suspect, cause: StopCause): boolean {
    if (reached > one.first) return true;
    const likeThem = [...suspects.values()].filter(({ first }) => first === reached);
    // A message that does not leave says less than a number that is not answered about: perhaps none leaves.
    return (cause !== "not_connected" || reached > 0) && likeThem.length <= FEW;
  }

  /** How many tries in a row count against them, this one included; 0: it was the channel. */
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

/** The number that a connection sends from, null while it is not known: an instance is named by its server, and linked to a number. */
export function ownPhoneOf(
  taken: Pick<AcquiredConnection, "kind" | "deviceId">,
  pairing: string | null,
): string | null {
  if (taken.kind === "device") return taken.deviceId;
  const linked = readChatId(pairing ?? "");
  return linked.kind === "phone" ? linked.phone : null;
}
