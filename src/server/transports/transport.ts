import type { LaneHold } from "../../domain/campaign.ts";
import type { MessageKind } from "../../domain/chat.ts";

/**
 * All the sending lanes know of WhatsApp. `transports/device` (Baileys) and `transports/gateway` (Evolution API) each
 * implement it; the faults they meet are folded into four outcomes, because a lane decides by what is proven, not by who said it.
 */

/** The address WhatsApp answered for a number: `jid` is what goes on the wire, `lid` its hidden identity where known. */
export type Address = { jid: string; lid: string | null };

export type OutgoingImage = { bytes: Uint8Array; mime: string; width: number; height: number };

/** What one person gets. `media` is what `upload` returned for this campaign's image, so that the image travels once. */
export type OutgoingMessage = {
  to: Address;
  /** Ours, where the transport takes one: the same id is the same message, however often it is sent. */
  messageId: string;
  text: string;
  media: unknown;
  hasImage: boolean;
  /**
   * True once they want no campaigns any more, or theirs was paused or ended: asked by a transport that prepares long before it writes,
   * which then stops instead.
   */
  left?: (() => boolean) | undefined;
  /**
   * Whether the recipient is warm: wrote to the number, or got a message of ours delivered. Asked only where WhatsApp refuses new
   * conversations; absent: no.
   */
  isWarm?: (() => Promise<boolean>) | undefined;
  /** To be called when the first byte is about to leave, by transports that take no id of ours; the outcome says so otherwise. */
  onWire?: (() => void) | undefined;
};

/**
 * `accepted`: WhatsApp answered that it has the message; `unconfirmed`: only the gateway did. `at` is its time or ours.
 * `refused`: about this person, proven not sent; `passing` faults are tried again (3 attempts, after 1 s and 2 s).
 * `stop`: about the channel, proven not sent: the person is given back clean and the lane waits until `retryAt` (epoch ms), by its
 * back-off (null), or for a human (`human`).
 * `ambiguous`: the message may have left; never answered by a blind resend under a new id. With `stop` the lane waits before the next.
 */
export type Outcome =
  | { kind: "accepted"; providerId: string; at: number; unconfirmed?: true }
  | { kind: "refused"; code: string; passing: boolean }
  | { kind: "stop"; cause: StopCause; retryAt: number | null | "human" }
  | { kind: "ambiguous"; reason: string; stop?: { cause: StopCause; retryAt: number | null } };

export type StopCause =
  | "not_connected"
  | "rate_limited"
  /** The number is restricted, and warm people are refused as well. */
  | "timelocked"
  /** The number is restricted, and this person is cold: they wait, and the lane goes on with warm ones. */
  | "new_conversation"
  | "logged_out"
  | "banned"
  | "replaced"
  | "lookup_failed"
  /** WhatsApp refused the message over the devices that it was written for, though asked about them anew. */
  | "devices_refused"
  /** WhatsApp took a message with an error of its own. */
  | "server_trouble"
  | "upload_failed"
  /** Of gateways: they refuse our key, do not know the instance, or have no licence. */
  | "wrong_key"
  | "gone"
  | "license_required";

export type LookupResult =
  | { kind: "found"; address: Address }
  | { kind: "absent" }
  | { kind: "stop"; cause: StopCause; retryAt: number | null | "human" };

export type Transport = {
  /** True when it carries our message id, so that an ambiguous send may be repeated under the same id. */
  readonly takesOurIds: boolean;
  /** Sends that may be on the wire at once. */
  readonly slots: number;
  /** Identity of the pairing: media uploaded and doubts raised under another one are not reusable. Null until paired. */
  pairing(): string | null;
  /** Open and caught up with the offline queue, so that receipts which would settle a doubt have had their chance. */
  ready(): boolean;
  /** Monotonic ms since it became ready; 0 when it is not. */
  readyFor(): number;
  /** Called on every change of `ready()`, and when a stop ends before its time. Returns the unsubscribe function. */
  onReady(listener: () => void): () => void;
  /**
   * Called when its provider did not answer, or said that its session changed, although `ready()` is as before: messages written then may
   * not have been told. Returns the unsubscribe function. Absent where `ready()` changes with every such time.
   */
  onInterrupted?(listener: () => void): () => void;
  /** Asks WhatsApp for the address of a canonical phone (both ninth-digit forms of a Brazilian mobile). Absent where a transport has none. */
  lookup?(phone: string, isWarm?: () => Promise<boolean>): Promise<LookupResult>;
  /** Until when WhatsApp refuses new conversations of this number; null: it does not. Absent: it cannot be known. */
  coldWaitsUntil?(): Date | null;
  /** Uploads an image once; the answer is JSON and is handed back in `OutgoingMessage.media`. Throws `StopError` when the channel is down. */
  upload?(image: OutgoingImage): Promise<unknown>;
  /** False: what `upload` once answered may be gone at WhatsApp before everybody has fetched it. Absent: it lasts. */
  lasts?(media: unknown): boolean;
  /** The lane waits for this from now on, or no more: the screens say so while the transport is connected. Absent: it has none. */
  holds?(why: LaneHold, now: boolean): void;
  /** Resolves always; a thrown error is treated as ambiguous. */
  send(message: OutgoingMessage): Promise<Outcome>;
  /** Resolves when nothing is on the wire, keys are flushed and the socket is ended. */
  close(): Promise<void>;
};

/** Thrown by `upload` when the fault is the channel's and nobody is to blame. */
export class StopError extends Error {
  override readonly cause: StopCause;
  constructor(cause: StopCause) {
    super(cause);
    this.name = "StopError";
    this.cause = cause;
  }
}

/** `state` is the spec's; `cause` a code of why it is so (words in the catalogue), `causeUntil` when that ends. */
export type ConnectionState = "connected" | "connecting" | "pending" | "disconnected";

export type StateReport = {
  state: ConnectionState;
  cause?: string | null;
  causeUntil?: Date | null;
  qr?: { text: string; expiresAt: Date } | null;
  pairingCode?: { text: string; expiresAt: Date } | null;
  pairing?: string | null;
};

export type Receipt = {
  messageId: string;
  /** `error` carries WhatsApp's code of a refusal that came after the acknowledgement or without one. */
  status: "accepted" | "delivered" | "read" | "error";
  code?: string;
  /** The hidden address (`…@lid`) under which the other side got it, where the transport tells it: they may answer under it alone. */
  lid?: string;
  at: Date;
};

/**
 * A message of a chat that we did not send ourselves: what somebody wrote, and what was written from our number elsewhere (`fromMe`:
 * on the phone, or `viaApi` through the gateway, by us or another program).
 */
export type IncomingMessage = {
  /** WhatsApp's id of the message. */
  providerId: string;
  /** Addresses as WhatsApp names them, as many as it told: `…@s.whatsapp.net`, `…@lid`, `…@g.us`. */
  chat: readonly string[];
  fromMe: boolean;
  viaApi: boolean;
  /** The name that whoever wrote gave themselves. Null for our own messages: there it is our name. */
  pushName: string | null;
  /** Who wrote in a group: an address. */
  participant: string | null;
  kind: MessageKind;
  /** Text or caption, empty where there is none. */
  text: string;
  /** The picture's bytes, where the transport brought or can fetch them within its limits. */
  image: Uint8Array | null;
  quotedId: string | null;
  /** The id of an earlier message of the same sender that now says this. */
  edits?: string | null;
  /** Its writer sent it to a list of theirs, of which the other side is one. */
  toMany?: boolean;
  at: Date;
};

/** What a transport may ask of the lane that opened it. Every write behind it checks the lane's fence. */
export type LaneHost = {
  connectionId: number;
  accountId: string;
  /** The digits of the number. */
  deviceId: string;
  fence: number;
  /** Stores what the screens show of the connection. Resolves false when the lane has lost its ownership. */
  report(state: StateReport): Promise<boolean>;
  /** Receipts and late truth, in any order; safe to repeat. Resolves when they are committed: only then may WhatsApp forget them. */
  receipts(receipts: readonly Receipt[]): Promise<void>;
  /**
   * Others' messages, by WhatsApp's ids, that were read on the phone or another device of ours, in any order; safe to repeat. Resolves
   * when that is committed.
   */
  readElsewhere(messageIds: readonly string[]): Promise<void>;
  /** Messages of chats, in any order; safe to repeat. Resolves when they are committed. */
  messages(messages: readonly IncomingMessage[]): Promise<void>;
  /**
   * The content sent under an id, rebuilt from the database (WhatsApp asks for it when a phone could not decrypt). `pairing` is the one
   * that asks: of an image uploaded under another nothing is left. Reports tell it too, but later: the database may be slow.
   */
  contentOf(
    messageId: string,
    pairing: string | null,
  ): Promise<{ text: string; media: unknown; hasImage: boolean } | null>;
  /** True while the lease is fresh enough to connect or write to the socket. */
  mayAct(): boolean;
  /** Called by the transport when the ownership turned out to be lost (fence refused, code 440). */
  lost(): void;
};

/** A transport that a lane runs: it also follows what people want of the connection. */
export type LaneTransport = Transport & {
  /**
   * Follow `connection.desired`: connect, or end the session (`logout` also forgets the pairing). `logout` rejects when it is not known to
   * have ended: the state stays another than `disconnected`, and it is asked for again.
   */
  connect(): Promise<void>;
  logout(): Promise<void>;
  /** Takes the connection away at its provider as well; rejects when that could not be done. Absent: ending the session is all there is. */
  remove?(): Promise<void>;
  /** The provider said that something changed: ask it what. May come many times a second. */
  poke?(): void;
  /** Something went wrong at the provider: ask it soon how the connection is. */
  look?(): void;
  /** Asks for an 8-character pairing code as a second way to link; the answer arrives through `report`. */
  requestPairingCode(): Promise<void>;
  /** Shows the person behind an address that somebody is typing, for about `ms`. Best effort. */
  typing(jid: string, ms: number): Promise<void>;
  /** What a group is called, as the provider tells it; null where it does not. Rejects when it could not be asked. */
  groupSubject?(jid: string): Promise<string | null>;
  /**
   * Messages sent from our number to an address since a time, as the provider keeps them: what may settle a doubt. Only where it can be
   * asked (gateways). Throws when it could not be asked.
   */
  sentTo?(address: Address, since: Date): Promise<readonly IncomingMessage[]>;
};

export type OpenTransport = (host: LaneHost) => Promise<LaneTransport>;
