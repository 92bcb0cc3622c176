import type { Db, Prepared as PreparedStatement } from "../../db/client.ts";
import type { Transport } from "../../transports/transport.ts";
import { type AddressBook, outboxAddress, type Prepared, prepareAddresses } from "../addresses/addresses.ts";
import { type HiddenListener, leftHidden } from "../addresses/hidden-addresses.ts";
import { type Claimed, mayHaveIt } from "../ledger/turn.ts";
import { findUnread } from "../ledger/unread-opt-outs.ts";
import { claimOutbox, type OutboxClaimed } from "../outbox/outbox.ts";
import type { LaneCampaign } from "./campaign-states.ts";
import { RecipientSignal } from "./recipient-signal.ts";

/** `unread`: an event that is not read yet may be their opt-out. */
export type Person = {
  kind: "person";
  campaign: LaneCampaign;
  person: Claimed;
  /** Null where numbers are not looked up. */
  prepared: Prepared | null;
  signal: RecipientSignal;
  unread: boolean;
  /** The message begins a conversation; absent: unknown, the number has no plan. */
  isCold?: boolean;
};

export type Direct = {
  kind: "direct";
  message: OutboxClaimed;
  prepared: Prepared | null;
  signal: RecipientSignal;
};

/** A claimed person of a campaign or of a direct message, from claim to outcome. */
export type Recipient = Person | Direct;

export const isPerson = (recipient: Recipient): recipient is Person => recipient.kind === "person";

export const phoneOf = (recipient: Recipient): string =>
  recipient.kind === "person"
    ? recipient.person.phone
    : (recipient.message.phone ?? recipient.message.jid ?? "");

export const keyOf = (recipient: Recipient): string =>
  recipient.kind === "person"
    ? `${recipient.campaign.id} ${recipient.person.seq}`
    : String(recipient.message.id);

/** This or an earlier attempt may have arrived: a refusal then proves nothing. */
export const mayHaveArrived = (recipient: Recipient): boolean =>
  recipient.kind === "person" ? mayHaveIt(recipient.person) : recipient.message.ambiguous;

export type ClaimDeps = {
  connectionId: number;
  db: Db;
  prepared: PreparedStatement;
  transport: Transport;
  book: AddressBook;
  hidden: HiddenListener;
};

/**
 * Claimed people with known addresses. The owner of an address may not be known yet where it wrote: another
 * process had looked it up or crashed after it.
 */
export async function peopleOf(
  deps: ClaimDeps,
  campaign: LaneCampaign,
  claimed: readonly Claimed[],
): Promise<Person[]> {
  const { prepared, transport, book } = deps;
  const known = transport.lookup ? await prepareAddresses(prepared, campaign.id, claimed, book) : null;
  const addressOf = ({ seq }: Claimed) => {
    const where = known?.get(seq);
    return where?.kind === "address" ? where.address : null;
  };
  const named = claimed.flatMap((person) => {
    const lid = addressOf(person)?.lid;
    return lid ? [{ phone: person.phone, lid }] : [];
  });
  const optedOut = await leftHidden(deps, named);
  // Checked last: a later event wakes the lane.
  const reachable = claimed.map((person) => ({ phone: person.phone, address: addressOf(person) }));
  const unread = await findUnread(prepared, campaign.accountId, reachable);
  return claimed.map((person) => {
    const signal = new RecipientSignal();
    const why = optedOut.get(person.phone);
    if (why) signal.abort(why);
    return {
      kind: "person",
      campaign,
      person,
      prepared: known?.get(person.seq) ?? null,
      signal,
      unread: unread.has(person.phone),
    };
  });
}

/** Null: the ownership is lost. */
export async function claimDirect(
  { db, transport, book }: Pick<ClaimDeps, "db" | "transport" | "book">,
  lane: { connectionId: number; fence: number },
  want: number,
  allowed: { doubts: boolean; coldWaits: boolean },
): Promise<Direct[] | null> {
  const claimed = await claimOutbox(db, lane, want, allowed.doubts, allowed.coldWaits);
  if (!claimed) return null;
  const recipients: Direct[] = [];
  for (const message of claimed) {
    const prepared = await outboxAddress(db, message, transport.lookup !== undefined, book);
    recipients.push({ kind: "direct", message, prepared, signal: new RecipientSignal() });
  }
  return recipients;
}
