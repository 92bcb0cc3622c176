import fs from "node:fs/promises";
import { fileTypeFromFile } from "file-type";
import { ATTACHMENT_BYTES } from "../../domain/attachment.ts";
import { AppError } from "../../domain/errors.ts";
import type { SaidFile } from "../transports/transport.ts";
import { type Judged, type Judging, judge } from "./judge.ts";

const STICKER_MOST_PX = 1_024;

/**
 * What people sent, by its content: what is not what it says is a document, which is only ever downloaded.
 * Throws `attachment_empty`.
 */
export async function judgeReceived(file: string, said: SaidFile, draw: Judging["draw"]): Promise<Judged> {
  const bytes = (await fs.stat(file)).size;
  if (bytes === 0) throw new AppError("attachment_empty");
  const found = await fileTypeFromFile(file);
  const document: Judged = {
    kind: "document",
    mime: said.mime,
    name: said.name || ["whatsapp", found?.ext].filter(Boolean).join("."),
    content: file,
    bytes,
    width: null,
    height: null,
    seconds: null,
    reduced: false,
  };
  const { kind } = said;
  if (kind === "document") return document;
  if (kind === "sticker") return (await sticker(file, found?.mime)) ?? document;
  return (await shown(file, kind, draw)) ?? document;
}

const FAMILY = { image: "image", video: "video", audio: "audio", voice: "audio" } as const;

async function shown(file: string, kind: keyof typeof FAMILY, draw: Judging["draw"]): Promise<Judged | null> {
  try {
    const judged = await judge(file, { name: "", draw, ...(kind === "voice" ? { as: kind } : {}) });
    return judged.mime.startsWith(`${FAMILY[kind]}/`) ? judged : null;
  } catch (error) {
    if (!(error instanceof AppError && isOfContent(error))) throw error;
    return error.code === "voice_unsupported" ? shown(file, "audio", draw) : null;
  }
}

const isOfContent = ({ code }: AppError) => /^(attachment|image|video|audio|voice)_/.test(code);

async function sticker(file: string, mime: string | undefined): Promise<Judged | null> {
  const { size: bytes } = await fs.stat(file);
  if (mime !== "image/webp" || bytes > ATTACHMENT_BYTES.sticker) return null;
  const { default: sharp } = await import("sharp");
  const facts = await sharp(file, { failOn: "error" })
    .metadata()
    .catch(() => null);
  if (!facts || facts.width > STICKER_MOST_PX || facts.height > STICKER_MOST_PX) return null;
  const { width, height } = facts;
  return {
    kind: "sticker",
    mime,
    name: "",
    content: file,
    bytes,
    width,
    height,
    seconds: null,
    reduced: false,
  };
}
