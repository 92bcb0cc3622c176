import type { Readable } from "node:stream";
import type { AttachmentKind } from "../../domain/attachment.ts";
import type { LaneHold } from "../../domain/campaign.ts";
import type { MessageKind } from "../../domain/chat.ts";
import type { NewChats } from "../../domain/new-chats.ts";

/** All that lanes know of WhatsApp. Errors become four outcomes, because a lane decides by what is proven. */

/** `jid` goes on the wire; `lid` if known. */
export type Address = { jid: string; lid: string | null };

/** A file to be sent; `open` reads it each time. `size` in bytes, `seconds` of a video or sound. */
export type OutgoingFile = {
  kind: AttachmentKind;
  mime: string;
  /** Empty but for documents. */
  name: string;
  size: number;
  width: number | null;
  height: number | null;
  seconds: number | null;
  /** Throws `attachment_lost`, `unavailable`. */
  open(): Promise<Readable>;
};

/** Another message of the same chat. `participant`: who of a group wrote it, an address. */
export type AboutMessage = { id: string; fromMe: boolean; participant: string | null; text: string };

/**
 * `quote`: an answer to it; `react`: the text is the emoji, empty takes it away; `delete`: for everyone.
 */
export type Bearing = { what: "quote" | "react" | "delete"; of: AboutMessage; at: number };

/** To one person. `media` is the result of `upload`, so that a file travels once. */
export type WireMessage = {
  to: Address;
  /** Our id, if the transport takes one; a repeated id is the same message. */
  messageId: string;
  text: string;
  media: unknown;
  hasAttachment: boolean;
  bearing?: Bearing | null;
  /**
   * Aborted once the recipient opted out, or the campaign or the lane stopped. A transport that prepares long
   * before it writes checks it last and returns a `stop` instead.
   */
  signal?: Pick<AbortSignal, "aborted"> | undefined;
  /** True if they wrote to the number or got a message delivered. Absent: cold. */
  isWarm?: (() => Promise<boolean>) | undefined;
  /** Called before the first byte by transports that take no id of ours. */
  onWire?: (() => void) | undefined;
};

/**
 * `accepted`: WhatsApp has it; `unconfirmed`: only the gateway. `refused`: this person, proven unsent;
 * `passing`: 3 attempts (1 s, 2 s). `stop`: channel, proven unsent; wait until `retryAt` (epoch ms), back-off
 * (null) or `human`. `ambiguous`: perhaps sent; no new id.
 */
export type Outcome =
  | { kind: "accepted"; providerId: string; at: number; unconfirmed?: true }
  | { kind: "refused"; code: string; passing: boolean }
  | { kind: "stop"; cause: StopCause; retryAt: number | null | "human" }
  | { kind: "ambiguous"; reason: string; stop?: { cause: StopCause; retryAt: number | null } };

export type StopCause =
  | "not_connected"
  | "rate_limited"
  /** Warm people are refused too. */
  | "timelocked"
  /** This cold person waits; the lane goes on with warm ones. */
  | "new_conversation"
  | "logged_out"
  | "banned"
  | "replaced"
  | "lookup_failed"
  /** Even after refetching the devices. */
  | "devices_refused"
  /** WhatsApp's server failed at a message. */
  | "server_trouble"
  | "upload_failed"
  /** Gateway: key refused, instance unknown, no licence. */
  | "wrong_key"
  | "gone"
  | "license_required";

export type LookupResult =
  | { kind: "found"; address: Address }
  | { kind: "absent" }
  | { kind: "stop"; cause: StopCause; retryAt: number | null | "human" };

export type Transport = {
  /** Messages carry our id, so an ambiguous send may be repeated under it. */
  readonly takesOurIds: boolean;
  /** Maximum sends in flight. */
  readonly slots: number;
  /** Uploads and doubts of another pairing are unusable. Null until paired. */
  pairing(): string | null;
  /** Open, and the offline queue is processed, so that receipts could settle doubts. */
  ready(): boolean;
  /** Monotonic ms; 0 if not ready. */
  readyFor(): number;
  /** Also when a stop ends early. Returns the unsubscribe function. */
  onReady(listener: () => void): () => void;
  /**
   * The provider was unreachable or changed its session although `ready()` stayed: messages may be missing.
   * Returns the unsubscribe function.
   */
  onInterrupted?(listener: () => void): () => void;
  /** Canonical phone, both ninth-digit forms. */
  lookup?(phone: string, isWarm?: () => Promise<boolean>): Promise<LookupResult>;
  /** Null: no restriction. Absent: unknown. */
  coldWaitsUntil?(): Date | null;
  /** Uploads a file once; the answer is JSON and is handed back in `WireMessage.media`. Throws `StopError` when the channel is down, and what `file.open` throws. */
  upload?(file: OutgoingFile): Promise<unknown>;
  /** False: WhatsApp may delete it before all recipients fetch it. Absent: it lasts. */
  lasts?(media: unknown): boolean;
  /** The lane waits for this; shown while connected. */
  holds?(why: LaneHold, now: boolean): void;
  /** A campaign joins the lane. */
  campaignBegins?(): void;
  /** Never rejects; a thrown error counts as ambiguous. */
  send(message: WireMessage): Promise<Outcome>;
  /** Nothing in flight, keys flushed, socket ended. */
  close(): Promise<void>;
};

/** Thrown by `upload` for an error of the channel. */
export class StopError extends Error {
  override readonly cause: StopCause;
  constructor(cause: StopCause) {
    super(cause);
    this.name = "StopError";
    this.cause = cause;
  }
}

/** `cause`: reason code; `causeUntil`: its end. */
export type ConnectionState = "connected" | "connecting" | "pending" | "disconnected";

export type StateReport = {
  state: ConnectionState;
  cause?: string | null;
  causeUntil?: Date | null;
  qr?: { text: string; expiresAt: Date } | null;
  pairingCode?: { text: string; expiresAt: Date } | null;
  pairing?: string | null;
  /** Null: unknown. Absent: as stored. */
  newChats?: NewChats | null | undefined;
};

export type Receipt = {
  messageId: string;
  /** `error`: WhatsApp's code of a refusal after the ack or without one. */
  status: "accepted" | "delivered" | "read" | "error";
  code?: string;
  /** `…@lid`: they may answer only under it. */
  lid?: string;
  at: Date;
};

/** `phones`: canonical digits; `others`: numbers that cannot be read, e-mails. */
export type ContactCard = { name: string; phones: string[]; others: string[] };

export type MessageDetails =
  | { contacts: ContactCard[] }
  | { place: { latitude: number; longitude: number } }
  | { poll: { question: string; options: string[] } }
  /** Empty: taken back. A sealed vote has no details. */
  | { vote: { chosen: string[] } }
  /** What WhatsApp showed its writer of the address. */
  | { link: { url: string; title: string; description: string } };

export type QuotedPart = { kind: MessageKind; text: string; participant: string | null };

/** What a message says of its file; nothing of it is proven. */
export type SaidFile = {
  kind: AttachmentKind;
  mime: string;
  /** Empty but for documents. */
  name: string;
  /** Bytes. */
  size: number | null;
  seconds: number | null;
  pages: number | null;
};

export type IncomingFile = SaidFile & {
  /** For `fetchFile`, which alone reads it; null: the message's id suffices. */
  source: Uint8Array | null;
  /** Null unless the message brought it. */
  content: Uint8Array | null;
};

/** A received file. `size`: what its message says; `most`: its limit; both in bytes. */
export type WantedFile = {
  providerId: string;
  source: Uint8Array | null;
  size: number | null;
  most: number;
  signal: AbortSignal;
};

/**
 * Thrown by `fetchFile` and its stream. `gone`: WhatsApp has it no longer; `changed`: not the one that was
 * sent; `unreachable`: perhaps later.
 */
export class FileError extends Error {
  override readonly cause: "gone" | "too_large" | "changed" | "unreachable";
  constructor(cause: FileError["cause"], message?: string) {
    super(message ?? cause);
    this.name = "FileError";
    this.cause = cause;
  }
}

/**
 * Not sent by us: received, or written elsewhere (`fromMe`: on the phone, or `viaApi` through the gateway).
 */
export type IncomingMessage = {
  /** WhatsApp's message id. */
  providerId: string;
  /** `…@s.whatsapp.net`, `…@lid`, `…@g.us`. */
  chat: readonly string[];
  fromMe: boolean;
  viaApi: boolean;
  /** Null for our messages. */
  pushName: string | null;
  /** Group writer. */
  participant: string | null;
  kind: MessageKind;
  text: string;
  file: IncomingFile | null;
  quotedId: string | null;
  quoted?: QuotedPart | null;
  details?: MessageDetails | null;
  /** The sender's earlier message that this replaces. */
  edits?: string | null;
  deletes?: string | null;
  /** To the writer's broadcast list. */
  toMany?: boolean;
  at: Date;
};

export type OutgoingContent = {
  text: string;
  media: unknown;
  hasAttachment: boolean;
  bearing?: Bearing | null;
};

/** Every write checks the lane's fence. */
export type LaneHost = {
  connectionId: number;
  accountId: string;
  deviceId: string;
  fence: number;
  /** False: ownership lost. */
  report(state: StateReport): Promise<boolean>;
  /** Any order, safe to repeat. Resolves after the commit: only then may WhatsApp forget them. */
  receipts(receipts: readonly Receipt[]): Promise<void>;
  /** WhatsApp ids, read on another of our devices. Any order, safe to repeat; resolves after the commit. */
  readElsewhere(messageIds: readonly string[]): Promise<void>;
  /** Any order, safe to repeat; resolves after the commit. */
  messages(messages: readonly IncomingMessage[]): Promise<void>;
  /**
   * Rebuilt from the database for a phone that could not decrypt. `pairing`: the asking one; a file
   * uploaded under another is lost.
   */
  contentOf(messageId: string, pairing: string | null): Promise<OutgoingContent | null>;
  /** The lease is fresh enough to connect or write. */
  mayAct(): boolean;
  /** Fence refused, or code 440. */
  lost(): void;
};

/** Also follows what people want of the connection. */
export type LaneTransport = Transport & {
  /**
   * Follow `connection.desired`. `logout` also deletes the pairing; if the end is uncertain it rejects, and
   * is requested again.
   */
  connect(): Promise<void>;
  logout(): Promise<void>;
  /** Deletes the connection at the provider too; rejects on failure. Absent: ending the session is enough. */
  remove?(): Promise<void>;
  /** The provider reported a change; may come many times a second. */
  poke?(): void;
  /** Error at the provider: query the state soon. */
  look?(): void;
  /** 8 characters; the result arrives through `report`. */
  requestPairingCode(): Promise<void>;
  /** Best effort, for about `ms`. */
  typing(jid: string, ms: number): Promise<void>;
  /** Null if unknown. Rejects when the query failed. */
  groupSubject?(jid: string): Promise<string | null>;
  /** The bytes of a received file, while ready. Throws `FileError`. */
  fetchFile?(wanted: WantedFile): Promise<AsyncIterable<Uint8Array>>;
  /** Its files come whole, as text and as bytes. */
  readonly filesInMemory?: boolean;
  /** Messages in the provider's store (gateways only), to settle doubts. Throws when the query failed. */
  sentTo?(address: Address, since: Date): Promise<readonly IncomingMessage[]>;
};

export type OpenTransport = (host: LaneHost) => Promise<LaneTransport>;
