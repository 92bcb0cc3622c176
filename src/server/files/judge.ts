import fs from "node:fs/promises";
import { fileTypeFromFile } from "file-type";
import { getMimeType } from "hono/utils/mime";
import { type AttachmentKind, mostBytes, type SentAs } from "../../domain/attachment.ts";
import { attachmentName, isDisguised, isProgramName } from "../../domain/attachment-name.ts";
import { AppError } from "../../domain/errors.ts";
import type { CleanImage } from "./images.ts";
import { type MediaFacts, mediaFacts } from "./media-facts.ts";
import { asOggVoice } from "./voice.ts";

export type Judged = {
  kind: AttachmentKind;
  mime: string;
  name: string;
  /** A path, or bytes made from the file. */
  content: string | Uint8Array;
  bytes: number;
  width: number | null;
  height: number | null;
  seconds: number | null;
  reduced: boolean;
};

export type Judging = {
  name: string;
  as?: SentAs | undefined;
  /** The installation's limit. */
  mostMb?: number | undefined;
  draw(file: string): Promise<CleanImage>;
};

type Found = { ext: string; mime: string } | undefined;

const PROGRAM_TYPES =
  /^application\/(x-msdownload|x-elf|x-mach-binary|java-vm|x-msi|vnd\.android\.package-archive)$/;

/**
 * By content; the name only tells documents apart. Throws `attachment_empty`, `attachment_too_large`,
 * `attachment_program`, `attachment_disguised`, `attachment_name_required`, `attachment_corrupt`,
 * `video_unsupported`, `audio_unsupported`, `voice_unsupported` and those of pictures.
 */
export async function judge(file: string, judging: Judging): Promise<Judged> {
  const bytes = (await fs.stat(file)).size;
  if (bytes === 0) throw new AppError("attachment_empty");
  const name = attachmentName(judging.name);
  const found = await fileTypeFromFile(file);
  if (PROGRAM_TYPES.test(found?.mime ?? "") || isProgramName(name)) throw new AppError("attachment_program");
  if (isDisguised(name, found?.ext ?? null)) throw new AppError("attachment_disguised", { name });
  const plain = { name, content: file, bytes, width: null, height: null, seconds: null, reduced: false };
  const fits: Fits = (kind) => requireSize(kind, bytes, judging.mostMb);
  if (judging.as === "voice") return voice(file, plain, fits);
  if (judging.as === "document") return document(plain, found, fits);
  const [family] = (found?.mime ?? "").split("/");
  if (family === "image") return picture(file, judging, fits);
  if (family === "video" || family === "audio") return moving(plain, await mediaFacts(file), fits);
  return document(plain, found, fits);
}

type Plain = Omit<Judged, "kind" | "mime">;

/** Throws `attachment_too_large`. */
type Fits = (kind: AttachmentKind) => void;

function requireSize(kind: AttachmentKind, bytes: number, mostMb: number | undefined): void {
  const most = mostBytes(kind, mostMb);
  if (bytes > most) throw new AppError("attachment_too_large", { mb: most / 1024 / 1024 });
}

function document(plain: Plain, found: Found, fits: Fits): Judged {
  if (plain.name === "") throw new AppError("attachment_name_required");
  fits("document");
  const byName = getMimeType(plain.name)?.split(";")[0];
  return { ...plain, kind: "document", mime: byName ?? found?.mime ?? "application/octet-stream" };
}

async function picture(file: string, { draw }: Judging, fits: Fits): Promise<Judged> {
  fits("image");
  const { mime, width, height, reduced, bytes: content } = await draw(file);
  const size = content.byteLength;
  return { kind: "image", mime, name: "", content, bytes: size, width, height, seconds: null, reduced };
}

const SOUNDS: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  aac: "audio/mp4",
  opus: "audio/ogg",
  vorbis: "audio/ogg",
};

function moving(plain: Plain, { container, video, audio, seconds }: MediaFacts, fits: Fits): Judged {
  if (video) {
    const plays =
      container === "video/mp4" &&
      video.codec === "avc" &&
      (!audio || audio.codec === "aac" || audio.codec === "mp3");
    if (!plays)
      throw new AppError("video_unsupported", {
        is: [video.codec, audio?.codec].filter(Boolean).join(" + "),
      });
    fits("video");
    const { width, height } = video;
    return { ...plain, kind: "video", mime: "video/mp4", width, height, seconds };
  }
  const mime = SOUNDS[audio?.codec ?? ""];
  const inOwnContainer =
    mime === container ||
    (mime === "audio/mp4" && container === "video/mp4") ||
    (mime === "audio/ogg" && container === "application/ogg");
  if (mime === undefined || !inOwnContainer)
    throw new AppError("audio_unsupported", { is: audio?.codec ?? container });
  fits("audio");
  return { ...plain, kind: "audio", mime, seconds };
}

/** A browser records Opus in WebM or OGG; only the container is changed. */
async function voice(file: string, plain: Plain, fits: Fits): Promise<Judged> {
  fits("voice");
  const { video, audio, seconds, container } = await mediaFacts(file);
  if (video || audio?.codec !== "opus") throw new AppError("voice_unsupported");
  const content =
    container === "application/ogg" || container === "audio/ogg" ? file : await asOggVoice(file);
  const bytes = typeof content === "string" ? plain.bytes : content.byteLength;
  return { ...plain, kind: "voice", mime: "audio/ogg; codecs=opus", name: "", content, bytes, seconds };
}
