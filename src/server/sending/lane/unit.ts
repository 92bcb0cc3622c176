import { failpoint } from "../../base/failpoint.ts";
import type { Prepared } from "../../db/client.ts";
import type { Address } from "../../transports/transport.ts";
import { findSentParts, recordPart } from "../ledger/units.ts";
import type { AcceptedIds } from "./accepted-ids.ts";
import { type DeliverDeps, deliver, ended, givenBack } from "./deliver.ts";
import { type Delivery, NOT_CONNECTED, type WentOut, wentOut } from "./delivered.ts";
import { campaignMessage, type Keys, type OutgoingMessage } from "./outgoing-message.ts";
import type { Person, Recipient } from "./recipient.ts";

export type UnitDeps = {
  keys: Keys;
  deliver: DeliverDeps;
  prepared: Prepared;
  fence: number;
  /** Absent where the transport takes our ids. */
  accepted: AcceptedIds | undefined;
};

/** Several messages go to this person. */
export const isUnit = (recipient: Recipient): recipient is Person =>
  recipient.kind === "person" && recipient.campaign.parts > 1;

export const hasBegun = async ({ prepared }: UnitDeps, { campaign, person }: Person): Promise<boolean> =>
  (await findSentParts(prepared, campaign.id, person.seq)).size > 0;

/**
 * Sends one person's messages that have not left, in order, each awaited. Ends with the first that does not
 * leave: the ledger has those before it, and another claim goes on there.
 */
export async function deliverUnit(deps: UnitDeps, recipient: Person, to: Address): Promise<Delivery> {
  const { campaign, person, signal } = recipient;
  const sent = await findSentParts(deps.prepared, campaign.id, person.seq);
  const left = Array.from({ length: campaign.parts }, (_, part) => part).filter((part) => !sent.has(part));
  let begun = sent.size > 0;
  for (const [nth, part] of left.entries()) {
    const message = campaignMessage(deps.keys, recipient, to, part);
    const delivery = await deliver(
      deps.deliver,
      nth === 0 ? known(message, person, sent) : fresh(message),
      signal,
    );
    const { result } = delivery;
    if (!wentOut(result) || nth === left.length - 1) return { ...delivery, begun };
    begun = true;
    if (!(await recorded(deps, recipient, part, result)))
      return { ...givenBack(deps.deliver, NOT_CONNECTED), begun };
    signal.begin();
  }
  return ended(deps.deliver, { to: "uncertain", error: null, attempts: 0, ambiguous: false, delayMs: 0 });
}

/** A message that left under the resend number ended the doubt for which a person asked for it. */
const known = (
  message: OutgoingMessage,
  { ambiguous, generation }: Person["person"],
  sent: ReadonlyMap<number, number>,
): OutgoingMessage => ({
  ...message,
  mayHaveArrived: ambiguous || (generation > 0 && ![...sent.values()].includes(generation)),
});

/** Never tried before. */
const fresh = (message: OutgoingMessage): OutgoingMessage => ({
  ...message,
  follows: true,
  tries: 0,
  ambiguous: false,
  mayHaveArrived: false,
});

/** False: the person is another owner's now. */
async function recorded(
  { prepared, fence, accepted }: UnitDeps,
  recipient: Person,
  part: number,
  result: WentOut,
): Promise<boolean> {
  failpoint("part_acknowledged");
  if (accepted) await accepted.store(recipient, result);
  const { seq, generation } = recipient.person;
  const one = { campaignId: recipient.campaign.id, seq, part, generation, at: result.at };
  const ours = await recordPart(prepared, fence, one, result.to);
  failpoint("part_recorded");
  return ours;
}
