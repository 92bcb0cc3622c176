import { buffer } from "node:stream/consumers";
import { type AnyMediaMessageContent, prepareWAMessageMedia, type WAMediaUploadFunction } from "baileys";
import type { Logger } from "pino";
import type { OutgoingFile } from "../transport.ts";
import { baileysLog } from "./baileys-log.ts";
import { type DeviceMedia, packMedia } from "./content.ts";

const THUMBNAIL_PX = 72;

/** Baileys would start other programs for what is left undefined here; its types do not name `waveform`. */
const NOT_COMPUTED = { jpegThumbnail: "", waveform: new Uint8Array() };

/** Encrypts and uploads it as the kind of message that phones show. */
export async function uploadFile(
  upload: WAMediaUploadFunction,
  file: OutgoingFile,
  log: Logger,
): Promise<DeviceMedia> {
  const message = await prepareWAMessageMedia(await mediaOf(file), { upload, logger: baileysLog(log) });
  return packMedia(message);
}

async function mediaOf(file: OutgoingFile): Promise<AnyMediaMessageContent> {
  const { kind, mime: mimetype, name: fileName } = file;
  const seconds = Math.max(1, Math.round(file.seconds ?? 0));
  const size = file.width === null || file.height === null ? {} : { width: file.width, height: file.height };
  if (kind === "image") {
    const image = await buffer(await file.open());
    return { image, mimetype, ...size, jpegThumbnail: await thumbnailOf(image) };
  }
  const stream = await file.open();
  if (kind === "video") return { video: { stream }, mimetype, ...size, seconds, ...NOT_COMPUTED };
  if (kind === "audio" || kind === "voice")
    return { audio: { stream }, mimetype, seconds, ptt: kind === "voice", ...NOT_COMPUTED };
  return { document: { stream }, mimetype, fileName };
}

/** Shown while the picture loads. */
async function thumbnailOf(picture: Buffer): Promise<string> {
  const { default: sharp } = await import("sharp");
  const drawn = await sharp(picture)
    .resize(THUMBNAIL_PX, THUMBNAIL_PX, { fit: "inside" })
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: 50 })
    .toBuffer();
  return drawn.toString("base64");
}
