import { encodeMessageId } from "../../../domain/message-id.ts";
import { renderMessage, usesName } from "../../../domain/message-text.ts";
import type { Db, Prepared as PreparedStatement } from "../../db/client.ts";
import type { Address, Transport } from "../../transports/transport.ts";
import {
  type AddressBook,
  outboxAddress,
  type Prepared,
  prepareAddresses,
  rememberAddress,
  storeAddress,
} from "../addresses/addresses.ts";
import { type HiddenListener, leftHidden } from "../addresses/hidden-addresses.ts";
import { isWarm } from "../ledger/known-conversations.ts";
import type { LeftOut } from "../ledger/signals.ts";
import { type Claimed, mayHaveIt } from "../ledger/turn.ts";
import { findUnread } from "../ledger/unread-opt-outs.ts";
import { claimOutbox, type OutboxClaimed } from "../outbox/outbox.ts";
import type { LaneCampaign } from "./campaign-states.ts";
import type { Parcel } from "./deliver.ts";
import { campaignMedia, outboxMedia } from "./media.ts";
import type { WireMarks } from "./wire-marks.ts";

/**
 * A queue item; `prepared` is null without look-up. `left`: opted out while queued; `missed`: an opt-out may
 * have been missed.
 */
export type Item =
  | {
      kind: "person";
      campaign: LaneCampaign;
      person: Claimed;
      prepared: Prepared | null;
      left: LeftOut | null;
      missed: boolean;
      unread: boolean;
    }
  | { kind: "outbox"; message: OutboxClaimed; prepared: Prepared | null };

export const isFor = (item: Item, phone: string): item is Extract<Item, { kind: "person" }> =>
  item.kind === "person" && item.person.phone === phone;

/** Outcome of an opt-out before sending: an earlier attempt may have arrived. */
export const whenLeft = (why: LeftOut) => (item: Item) => ({
  to: item.kind === "person" && mayHaveIt(item.person) ? ("uncertain" as const) : ("skipped" as const),
  error: why,
});

type Deps = {
  db: Db;
  statement: PreparedStatement;
  transport: Transport;
  messageKey: Buffer;
  book: AddressBook;
  connectionId: number;
  hidden: HiddenListener;
  marks: WireMarks | null;
  sends(campaignId: number): boolean;
};

/** A pure function of frozen campaign and row, so that a resend is identical. */
export function parcelOf(deps: Deps, item: Item): Parcel {
  return item.kind === "outbox" ? outboxParcel(deps, item.message, item.prepared) : personParcel(deps, item);
}

function personParcel(deps: Deps, item: Extract<Item, { kind: "person" }>): Parcel {
  const { db, statement, transport, messageKey, marks, book, sends } = deps;
  const { campaign, person, prepared } = item;
  const { id, accountId, nonce, text, nameFallback, textVersion, imageId } = campaign;
  const { seq, generation } = person;
  return {
    phone: person.phone,
    single: false,
    tries: person.tries,
    ambiguous: person.ambiguous,
    doubtful: mayHaveIt(person),
    messageId: transport.takesOurIds ? encodeMessageId(messageKey, { nonce, seq, generation }) : "",
    text: usesName(text, textVersion) ? renderMessage(text, person.name, nameFallback, textVersion) : text,
    hasImage: imageId !== null,
    prepared,
    left: () => item.left,
    isWarm: () => isWarm(db, deps.connectionId, person.phone),
    halted: () => item.missed || !sends(id),
    begin: marks
      ? (address) => marks.person({ accountId, campaignId: id, seq, phone: person.phone, address })
      : undefined,
    remember: async (address) => {
      const where = await storeAddress(statement, id, person, address, book);
      // Only now all addresses are known under which they may have written.
      const unread = await findUnread(statement, accountId, [{ phone: person.phone, address }]);
      if (unread.size > 0) item.missed = true;
      const left = await leftHidden(deps, namedBy(person, address));
      item.left = left.get(person.phone) ?? item.left;
      return where;
    },
    media: async () => (imageId === null ? null : campaignMedia(db, transport, { id, imageId })),
  };
}

function outboxParcel(
  { db, transport, marks, book, connectionId, hidden }: Deps,
  message: OutboxClaimed,
  prepared: Prepared | null,
): Parcel {
  const { phone, jid, tries, ambiguous, messageId, text, imageId } = message;
  return {
    ...{ phone: phone ?? jid ?? "", single: true, tries, ambiguous, doubtful: ambiguous },
    ...{ messageId, text, prepared },
    left: () => null,
    isWarm: () => isWarm(db, connectionId, phone ?? jid ?? ""),
    halted: () => false,
    hasImage: imageId !== null,
    begin: marks ? () => marks.single(message.id) : undefined,
    remember: async (address) => {
      if (phone !== null) await rememberAddress(db, phone, address, book);
      if (address?.lid) await hidden(connectionId, [address.lid]);
      return address ? { kind: "address", address } : { kind: "absent" };
    },
    media: async () => (imageId === null ? null : outboxMedia(db, transport, { id: message.id, imageId })),
  };
}

const namedBy = ({ phone }: Claimed, address: Address | null) =>
  address?.lid ? [{ phone, lid: address.lid }] : [];

/**
 * Claimed people with known addresses. The owner of an address may not be known yet where it wrote: another
 * process had looked it up or crashed after it.
 */
export async function peopleItems(
  deps: Pick<Deps, "db" | "statement" | "transport" | "book" | "hidden" | "connectionId">,
  campaign: LaneCampaign,
  people: readonly Claimed[],
): Promise<Item[]> {
  const { statement, transport, book } = deps;
  const known = transport.lookup ? await prepareAddresses(statement, campaign.id, people, book) : null;
  const named = people.flatMap((person) => {
    const where = known?.get(person.seq);
    return where?.kind === "address" ? namedBy(person, where.address) : [];
  });
  const left = await leftHidden(deps, named);
  // Checked last: a later event wakes the lane.
  const unread = await findUnread(
    statement,
    campaign.accountId,
    people.map(({ seq, phone }) => {
      const where = known?.get(seq);
      return { phone, address: where?.kind === "address" ? where.address : null };
    }),
  );
  return people.map((person) => {
    const prepared = known?.get(person.seq) ?? null;
    return {
      kind: "person",
      campaign,
      person,
      prepared,
      left: left.get(person.phone) ?? null,
      missed: false,
      unread: unread.has(person.phone),
    };
  });
}

export async function claimSingles(
  { db, transport, book }: Pick<Deps, "db" | "transport" | "book">,
  lane: { connectionId: number; fence: number },
  want: number,
  allowed: { doubts: boolean; coldWaits: boolean },
): Promise<Item[] | null> {
  const claimed = await claimOutbox(db, lane, want, allowed.doubts, allowed.coldWaits);
  if (!claimed) return null;
  const items: Item[] = [];
  for (const message of claimed) {
    const prepared = await outboxAddress(db, message, transport.lookup !== undefined, book);
    items.push({ kind: "outbox", message, prepared });
  }
  return items;
}

/** Lowest seq that may be in flight, where an acquire starts; null: none. */
export function lowestSeq(campaignId: number, ...lists: Iterable<Item>[]): number | null {
  let low = Number.POSITIVE_INFINITY;
  for (const items of lists)
    for (const item of items)
      if (item.kind === "person" && item.campaign.id === campaignId && item.person.seq < low)
        low = item.person.seq;
  return low === Number.POSITIVE_INFINITY ? null : low;
}
