import fs from "node:fs/promises";
import { fileTypeFromBuffer, fileTypeFromFile } from "file-type";
import type { Sharp } from "sharp";
import { ATTACHMENT_BYTES } from "../../domain/attachment.ts";
import { AppError } from "../../domain/errors.ts";
import { decodeHeic, withProfile } from "./heic.ts";

export type CleanImage = {
  bytes: Buffer;
  mime: "image/jpeg" | "image/png";
  width: number;
  height: number;
  /** It had more pixels. */
  reduced: boolean;
};

const LONGEST_SIDE = 2_048;
/** 7 KB can claim 900 million pixels; phone photographs have at most 50 million. */
const MAX_MEGAPIXELS = 64;
const MAX_PIXELS = MAX_MEGAPIXELS * 1_000_000;
/** Larger PNGs, usually photographs, become JPEG. */
const MAX_PNG_BYTES = 1_500_000;

const READABLE = new Set(["image/jpeg", "image/png", "image/apng", "image/webp"]);
/** One picture, as phones take them; a sequence is refused. */
const HEIC = new Set(["image/heic", "image/heif"]);
/** Its decoder holds all pixels at once: 250 MB. */
const MOST_HEIC_MEGAPIXELS = 25;
const MOST_PROFILE_BYTES = 1_000_000;

/** Real errors only: many cameras cause warnings. */
const READ = { failOn: "error", limitInputPixels: MAX_PIXELS } as const;

/**
 * Validates by content and re-encodes: upright, sRGB, at most `side` px (2048), no metadata, first frame. HEIC
 * becomes JPEG.
 * Throws `image_unsupported`, `image_too_large`, `image_too_many_pixels`, `image_corrupt`.
 */
export async function cleanImage(
  file: Uint8Array | string,
  { side = LONGEST_SIDE, maxBytes = ATTACHMENT_BYTES.image }: { side?: number; maxBytes?: number } = {},
): Promise<CleanImage> {
  const isPath = typeof file === "string";
  const bytes = isPath ? (await fs.stat(file)).size : file.byteLength;
  if (bytes > maxBytes) throw new AppError("image_too_large");
  const type = await (isPath ? fileTypeFromFile(file) : fileTypeFromBuffer(file));
  if (type && HEIC.has(type.mime)) return drawHeic(file, side);
  if (!type || !READABLE.has(type.mime)) throw new AppError("image_unsupported");
  const drawing = type.mime === "image/png" || type.mime === "image/apng";
  return draw(file, side, drawing);
}

async function draw(file: Uint8Array | string, side: number, isDrawing: boolean): Promise<CleanImage> {
  const { default: sharp } = await import("sharp");
  // Otherwise sharp keeps deleted uploads open, and their bytes on the disk.
  sharp.cache({ files: 0 });
  try {
    const { width, height, hasAlpha } = await sharp(file, READ).metadata();
    if (width * height > MAX_PIXELS) throw tooManyPixels();
    const picture = sharp(file, READ)
      .autoOrient()
      .resize(side, side, { fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb");
    const drawn = ((isDrawing || hasAlpha) && (await asPng(picture))) || (await asJpeg(picture));
    return { ...drawn, reduced: Math.max(width, height) > side };
  } catch (error) {
    throw toError(error);
  }
}

/** `sharp` reads its header and decodes none of it. */
async function drawHeic(file: Uint8Array | string, side: number): Promise<CleanImage> {
  const { default: sharp } = await import("sharp");
  sharp.cache({ files: 0 });
  try {
    const { width, height, icc } = await sharp(file, READ).metadata();
    const mostPixels = MOST_HEIC_MEGAPIXELS * 1_000_000;
    if (width * height > mostPixels) throw tooManyPixels(MOST_HEIC_MEGAPIXELS);
    const { png, ...size } = await decodeHeic(file, { side, mostPixels });
    const coloured = icc && icc.length < MOST_PROFILE_BYTES ? withProfile(png, icc) : png;
    return { ...(await draw(coloured, side, false)), reduced: Math.max(size.width, size.height) > side };
  } catch (error) {
    throw toError(error);
  }
}

type Drawn = Omit<CleanImage, "reduced">;

async function asPng(picture: Sharp): Promise<Drawn | null> {
  const { data, info } = await picture
    .clone()
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true });
  if (data.byteLength > MAX_PNG_BYTES) return null;
  return { bytes: data, mime: "image/png", width: info.width, height: info.height };
}

async function asJpeg(picture: Sharp): Promise<Drawn> {
  const jpeg = picture.clone().flatten({ background: "#ffffff" }).jpeg({ quality: 85 });
  const { data, info } = await jpeg.toBuffer({ resolveWithObject: true });
  return { bytes: data, mime: "image/jpeg", width: info.width, height: info.height };
}

const tooManyPixels = (n = MAX_MEGAPIXELS) => new AppError("image_too_many_pixels", { n });

function toError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = error instanceof Error ? error.message : "";
  return /pixel limit/i.test(text) ? tooManyPixels() : new AppError("image_corrupt");
}
