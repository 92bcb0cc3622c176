import { encodeMessageId } from "../../../domain/message-id.ts";
import { renderMessage, usesName } from "../../../domain/message-text.ts";
import type { Address, Bearing } from "../../transports/transport.ts";
import { bearingOf } from "../outbox/content.ts";
import { type Direct, mayHaveArrived, type Person, phoneOf, type Recipient } from "./recipient.ts";

/** What one recipient gets and where, as plain data. */
export type OutgoingMessage = {
  owner:
    | { kind: "person"; accountId: string; campaignId: number; seq: number; part: number }
    | { kind: "direct"; outboxId: number };
  phone: string;
  to: Address;
  tries: number;
  ambiguous: boolean;
  mayHaveArrived: boolean;
  /** Empty where the transport takes no id of ours. */
  messageId: string;
  text: string;
  attachmentId: number | null;
  bearing?: Bearing | null;
  /** Goes at once after another message of the same unit: takes no slot. */
  follows?: boolean;
};

export type Keys = { messageKey: Buffer; takesOurIds: boolean };

/** A pure function of frozen campaign and row, so that a resend is identical. */
export function outgoingMessage(keys: Keys, recipient: Recipient, to: Address): OutgoingMessage {
  return recipient.kind === "direct" ? directMessage(recipient, to) : campaignMessage(keys, recipient, to, 0);
}

/** One message of a campaign; only the first has text. */
export function campaignMessage(
  { messageKey, takesOurIds }: Keys,
  recipient: Person,
  to: Address,
  part: number,
): OutgoingMessage {
  const { campaign } = recipient;
  const { seq, generation, phone, tries, ambiguous } = recipient.person;
  const { id, accountId, nonce } = campaign;
  return {
    owner: { kind: "person", accountId, campaignId: id, seq, part },
    phone,
    to,
    tries,
    ambiguous,
    mayHaveArrived: mayHaveArrived(recipient),
    messageId: takesOurIds ? encodeMessageId(messageKey, { nonce, seq, generation, part }) : "",
    text: part === 0 ? textFor(recipient) : "",
    attachmentId: part === 0 ? campaign.attachmentId : (campaign.moreAttachmentIds[part - 1] ?? null),
  };
}

function textFor({ campaign, person }: Person): string {
  const { text, nameFallback, textVersion } = campaign;
  const { name, values } = person;
  return values !== null || usesName(text, textVersion)
    ? renderMessage(text, name, nameFallback, textVersion, values)
    : text;
}

function directMessage(recipient: Direct, to: Address): OutgoingMessage {
  const { id, tries, ambiguous, messageId, text, attachmentId } = recipient.message;
  return {
    owner: { kind: "direct", outboxId: id },
    phone: phoneOf(recipient),
    to,
    tries,
    ambiguous,
    mayHaveArrived: ambiguous,
    messageId,
    text,
    attachmentId,
    bearing: bearingOf(recipient.message),
  };
}
