import { createHmac } from "node:crypto";
import { type Contact, isLidUser, jidNormalizedUser, proto } from "baileys";
import type { AboutMessage, Bearing, OutgoingContent, OutgoingImage } from "../transport.ts";

/** The uploaded image's message as WhatsApp encodes it, base64. */
export type DeviceMedia = { imageMessage: string };

const THUMBNAIL_PX = 72;

/** Shown while the picture loads. */
export async function thumbnailOf(image: OutgoingImage): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  return sharp(image.bytes)
    .resize(THUMBNAIL_PX, THUMBNAIL_PX, { fit: "inside" })
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: 50 })
    .toBuffer();
}

export function packMedia(message: proto.IMessage): DeviceMedia {
  if (!message.imageMessage) throw new TypeError("the upload gave no image message");
  return {
    imageMessage: Buffer.from(proto.Message.ImageMessage.encode(message.imageMessage).finish()).toString(
      "base64",
    ),
  };
}

/**
 * WhatsApp keeps uploads two to four weeks, and recipients may open them days later (devlikeapro/waha issue
 * 2265, tulir/whatsmeow issue 607).
 */
const LASTS_MS = 7 * 24 * 60 * 60 * 1000;

export function lastsAt(now: Date, media: unknown): boolean {
  const uploadedAt = Number(unpackMedia(media).mediaKeyTimestamp ?? 0) * 1000;
  return now.getTime() - uploadedAt < LASTS_MS;
}

function unpackMedia(media: unknown): proto.Message.IImageMessage {
  if (typeof media !== "object" || media === null || !("imageMessage" in media))
    throw new TypeError("media is missing");
  const { imageMessage } = media;
  if (typeof imageMessage !== "string") throw new TypeError("media is not ours");
  return proto.Message.ImageMessage.decode(Buffer.from(imageMessage, "base64"));
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
  if (!content.hasImage)
    return proto.Message.fromObject({
      extendedTextMessage: { text: content.text, ...contextInfo },
      messageContextInfo,
    });
  const image = unpackMedia(content.media);
  const caption = content.text === "" ? {} : { caption: content.text };
  return proto.Message.create({
    imageMessage: proto.Message.ImageMessage.create({ ...image, ...caption, ...contextInfo }),
    messageContextInfo,
  });
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
