import type { Db, Prepared as PreparedStatement } from "../../db/client.ts";
import type { Address, Transport } from "../../transports/transport.ts";
import { type AddressBook, type Prepared, rememberAddress, storeAddress } from "../addresses/addresses.ts";
import { type HiddenListener, leftHidden } from "../addresses/hidden-addresses.ts";
import { findUnread } from "../ledger/unread-opt-outs.ts";
import { NOT_CONNECTED, type Stop } from "./delivered.ts";
import { type Person, phoneOf, type Recipient } from "./recipient.ts";

export type Resolved = Exclude<Prepared, { kind: "unknown" }>;

export type ResolveDeps = {
  connectionId: number;
  db: Db;
  prepared: PreparedStatement;
  transport: Transport;
  book: AddressBook;
  hidden: HiddenListener;
  mayAct(): boolean;
  /** WhatsApp is asked: this uses the lane's slot. */
  takeSlot(isDirect: boolean): void;
  isWarm(phone: string): Promise<boolean>;
};

/** The address without a question to WhatsApp; null: it must be asked. */
export function knownAddress(recipient: Recipient): Resolved | null {
  const { prepared } = recipient;
  if (prepared === null) return numberAlone(recipient);
  return prepared.kind === "unknown" ? null : prepared;
}

/** Asks WhatsApp, and stores the answer before anything is sent. */
export async function resolveAddress(
  deps: ResolveDeps,
  recipient: Recipient,
): Promise<Resolved | { kind: "stop"; stop: Stop }> {
  const { transport } = deps;
  if (!deps.mayAct() || !transport.ready()) return { kind: "stop", stop: NOT_CONNECTED };
  if (!transport.lookup) return numberAlone(recipient);
  deps.takeSlot(recipient.kind === "direct");
  const phone = phoneOf(recipient);
  const answer = await transport.lookup(phone, () => deps.isWarm(phone));
  if (answer.kind === "stop") return { kind: "stop", stop: { cause: answer.cause, retryAt: answer.retryAt } };
  const address = answer.kind === "found" ? answer.address : null;
  const stored = await store(deps, recipient, address);
  return stored.kind === "unknown"
    ? { kind: "stop", stop: { cause: "lookup_failed", retryAt: null } }
    : stored;
}

const numberAlone = (recipient: Recipient): Resolved => ({
  kind: "address",
  address: { jid: phoneOf(recipient), lid: null },
});

async function store(deps: ResolveDeps, recipient: Recipient, address: Address | null): Promise<Prepared> {
  if (recipient.kind === "person") return storeOfPerson(deps, recipient, address);
  const { phone } = recipient.message;
  if (phone !== null) await rememberAddress(deps.db, phone, address, deps.book);
  if (address?.lid) await deps.hidden(deps.connectionId, [address.lid]);
  return address ? { kind: "address", address } : { kind: "absent" };
}

async function storeOfPerson(
  deps: ResolveDeps,
  { campaign, person, signal }: Person,
  address: Address | null,
): Promise<Prepared> {
  const { prepared, book } = deps;
  const { phone } = person;
  const stored = await storeAddress(prepared, campaign.id, person, address, book);
  // Only now all addresses are known under which they may have written.
  const unread = await findUnread(prepared, campaign.accountId, [{ phone, address }]);
  if (unread.size > 0) signal.abort("unchecked");
  const optedOut = await leftHidden(deps, address?.lid ? [{ phone, lid: address.lid }] : []);
  const why = optedOut.get(phone);
  if (why) signal.abort(why);
  return stored;
}
