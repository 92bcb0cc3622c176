import { createHmac } from "node:crypto";
import { proto } from "baileys";
import type { OutgoingImage } from "../transport.ts";

/** What `upload` leaves with the lane and `send` gets back: the uploaded image's message as WhatsApp encodes it, base64. */
export type DeviceMedia = { imageMessage: string };

const THUMBNAIL_PX = 72;

/** The small JPEG that a phone shows until it has loaded the picture. */
export async function thumbnailOf(image: OutgoingImage): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  return sharp(image.bytes)
    .resize(THUMBNAIL_PX, THUMBNAIL_PX, { fit: "inside" })
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: 50 })
    .toBuffer();
}

/** The JSON form of an uploaded image. */
export function packMedia(message: proto.IMessage): DeviceMedia {
  if (!message.imageMessage) throw new TypeError("the upload gave no image message");
  return {
    imageMessage: Buffer.from(proto.Message.ImageMessage.encode(message.imageMessage).finish()).toString(
      "base64",
    ),
  };
}

/**
 * WhatsApp keeps a file for two to four weeks after its upload, and whoever gets a message may be away for many days before they open it:
 * an older file is put into no message any more. Source: issue 2265 of devlikeapro/waha, issue 607 of tulir/whatsmeow.
 */
const LASTS_MS = 7 * 24 * 60 * 60 * 1000;

/** True while an uploaded image is recent enough to be sent. */
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

type Content = { text: string; media: unknown; hasImage: boolean };

/**
 * The message that goes on the wire, as a pure function of its parts: a resend, or an answer to a phone that could not decrypt,
 * builds exactly the same. The secret (which WhatsApp's clients put in every message) is derived from the pairing and the id for
 * that reason. Links get no preview: nobody's server is asked about a text we send.
 */
export function buildContent(content: Content, messageId: string, pairingSecret: string): proto.IMessage {
  const messageSecret = createHmac("sha256", pairingSecret).update(messageId).digest();
  const messageContextInfo = { messageSecret };
  if (!content.hasImage)
    return proto.Message.fromObject({ extendedTextMessage: { text: content.text }, messageContextInfo });
  const image = unpackMedia(content.media);
  const caption = content.text === "" ? {} : { caption: content.text };
  return proto.Message.create({
    imageMessage: proto.Message.ImageMessage.create({ ...image, ...caption }),
    messageContextInfo,
  });
}
