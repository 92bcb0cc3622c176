import type { MessageKind } from "./chat.ts";

/** `voice`: an OGG/Opus note that WhatsApp plays as one; `sticker`: only received. */
export const ATTACHMENT_KINDS = ["image", "video", "audio", "voice", "document", "sticker"] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** As what a file may be sent, where its content allows more than one kind. */
export const SENT_AS = ["document", "voice"] as const;
export type SentAs = (typeof SENT_AS)[number];

const MB = 1024 * 1024;

/** Bytes (WhatsApp's help centre, «file size limits»; documents as in its Cloud API). */
export const ATTACHMENT_BYTES: Readonly<Record<AttachmentKind, number>> = {
  image: 16 * MB,
  video: 16 * MB,
  audio: 16 * MB,
  voice: 16 * MB,
  document: 100 * MB,
  sticker: MB,
};

export const LARGEST_ATTACHMENT = Math.max(...Object.values(ATTACHMENT_BYTES));

/** What an installation may allow; WhatsApp's limits stay above it. */
export const ATTACHMENT_MB = { least: 1, most: LARGEST_ATTACHMENT / MB };

export const mostBytes = (kind: AttachmentKind, mostMb = ATTACHMENT_MB.most): number =>
  Math.min(ATTACHMENT_BYTES[kind], mostMb * MB);

/** A larger file comes in pieces of this size, so that a lost connection costs at most one. */
export const UPLOAD_PIECE_BYTES = MB;

/** Gateways take a file as text inside one JSON body. */
export const GATEWAY_BYTES = 32 * MB;

/** WhatsApp shows no text beside a sound or a sticker. */
export const takesCaption = (kind: AttachmentKind): boolean =>
  kind === "image" || kind === "video" || kind === "document";

export const messageKindOf = (kind: AttachmentKind): MessageKind => (kind === "voice" ? "audio" : kind);
