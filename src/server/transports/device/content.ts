import { createHmac } from "node:crypto";
import { type Contact, isLidUser, jidNormalizedUser, proto } from "baileys";
import type { AboutMessage, Bearing, OutgoingContent } from "../transport.ts";

const ENCODERS = {
  imageMessage: proto.Message.ImageMessage,
  videoMessage: proto.Message.VideoMessage,
  audioMessage: proto.Message.AudioMessage,
  documentMessage: proto.Message.DocumentMessage,
};

type MediaField = keyof typeof ENCODERS;

const FIELDS = Object.keys(ENCODERS) as MediaField[];

/** The uploaded file's message as WhatsApp encodes it, base64, under its one field. */
export type DeviceMedia = Partial<Record<MediaField, string>>;

export function packMedia(message: proto.IMessage): DeviceMedia {
  const field = FIELDS.find((name) => message[name]);
  if (!field) throw new TypeError("the upload gave no file message");
  const { [field]: encoder } = ENCODERS;
  const bytes = encoder.encode(encoder.fromObject(message[field] ?? {})).finish();
  return { [field]: Buffer.from(bytes).toString("base64") };
}

/**
 * WhatsApp keeps uploads two to four weeks, and recipients may open them days later (devlikeapro/waha issue
 * 2265, tulir/whatsmeow issue 607).
 */
const LASTS_MS = 7 * 24 * 60 * 60 * 1000;

export function lastsAt(now: Date, media: unknown): boolean {
  const uploadedAt = Number(unpackMedia(media).content.mediaKeyTimestamp ?? 0) * 1000;
  return now.getTime() - uploadedAt < LASTS_MS;
}

function unpackMedia(media: unknown) {
  if (typeof media !== "object" || media === null) throw new TypeError("media is missing");
  for (const field of FIELDS) {
    const packed = (media as DeviceMedia)[field];
    if (typeof packed === "string")
      return { field, content: ENCODERS[field].decode(Buffer.from(packed, "base64")) };
  }
  throw new TypeError("media is not ours");
}

type Content = OutgoingContent;

export type Sides = { chat: string; me: string };

export const sidesOf = (me: Contact | undefined, chat: string): Sides => ({
  chat,
  me: jidNormalizedUser(isLidUser(chat) && me?.lid ? me.lid : (me?.id ?? "")),
});

/**
 * Pure, so that resends build the same message; hence the secret is derived from pairing and id. No link
 * previews: no other server learns what we send.
 */
export function buildContent(
  content: Content,
  messageId: string,
  pairingSecret: string,
  sides: Sides,
): proto.IMessage {
  const { bearing } = content;
  if (bearing && bearing.what !== "quote") return actContent(bearing, content.text, sides);
  const contextInfo = bearing ? { contextInfo: quoteContext(bearing.of, sides) } : {};
  const messageSecret = createHmac("sha256", pairingSecret).update(messageId).digest();
  const messageContextInfo = { messageSecret };
  if (!content.hasAttachment)
    return proto.Message.fromObject({
      extendedTextMessage: { text: content.text, ...contextInfo },
      messageContextInfo,
    });
  const { field, content: file } = unpackMedia(content.media);
  const caption = content.text === "" ? {} : { caption: content.text };
  const message = proto.Message.create({ [field]: { ...file, ...caption, ...contextInfo } });
  // Phones show a document's caption only in this envelope.
  if (field === "documentMessage" && content.text !== "")
    return proto.Message.create({ documentWithCaptionMessage: { message }, messageContextInfo });
  return proto.Message.create({ ...message, messageContextInfo });
}

const quoteContext = ({ id, fromMe, participant, text }: AboutMessage, { chat, me }: Sides) => ({
  stanzaId: id,
  participant: fromMe ? me : (participant ?? chat),
  quotedMessage: { conversation: text },
});

function actContent({ what, of, at }: Bearing, text: string, { chat }: Sides): proto.IMessage {
  const { id, fromMe, participant } = of;
  const key = { remoteJid: chat, fromMe, id, ...(participant === null ? {} : { participant }) };
  if (what === "react")
    return proto.Message.fromObject({ reactionMessage: { key, text, senderTimestampMs: at } });
  return proto.Message.fromObject({
    protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE },
  });
}
