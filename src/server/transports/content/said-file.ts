import type { AttachmentKind } from "../../../domain/attachment.ts";
import { attachmentName } from "../../../domain/attachment-name.ts";
import type { SaidFile } from "../transport.ts";
import { innermost } from "./message-content.ts";
import { cleanText, readNumber, textAt, valueAt } from "./own-values.ts";

const FIELDS = {
  imageMessage: "image",
  videoMessage: "video",
  ptvMessage: "video",
  audioMessage: "audio",
  documentMessage: "document",
  stickerMessage: "sticker",
} as const satisfies Record<string, AttachmentKind>;

export type FileField = keyof typeof FIELDS;

const NAMES = Object.keys(FIELDS) as FileField[];

const LONGEST_NAME = 1_000;
const DAY_S = 86_400;
const PAGES_MOST = 1_000_000;

export type FoundFile = { field: FileField; part: unknown; said: SaidFile };

/** The file of a message of Baileys or a gateway, whose type may stand beside it; null for one without. */
export function fileIn(message: unknown, messageType: string | null): FoundFile | null {
  const inner = innermost(message);
  const named = NAMES.find((name) => typeof (valueAt(inner, name) ?? undefined) === "object");
  const field = named ?? NAMES.find((name) => name === messageType);
  if (!field) return null;
  const part = named ? valueAt(inner, named) : inner;
  return { field, part, said: saidOf(field, part) };
}

function saidOf(field: FileField, part: unknown): SaidFile {
  const kind = field === "audioMessage" && valueAt(part, "ptt") === true ? "voice" : FIELDS[field];
  return {
    kind,
    mime: mimeOf(textAt(part, "mimetype")),
    name: kind === "document" ? nameOf(part) : "",
    size: within(valueAt(part, "fileLength"), Number.MAX_SAFE_INTEGER),
    seconds: within(valueAt(part, "seconds"), DAY_S),
    pages: within(valueAt(part, "pageCount"), PAGES_MOST),
  };
}

const nameOf = (part: unknown) =>
  attachmentName(cleanText(textAt(part, "fileName") ?? textAt(part, "title") ?? "", LONGEST_NAME));

const mimeOf = (text: string | null) =>
  /^[\w.+-]{1,60}\/[\w.+-]{1,80}/.exec(text ?? "")?.[0].toLowerCase() ?? "application/octet-stream";

function within(value: unknown, most: number): number | null {
  const number = readNumber(value) ?? 0;
  return number > 0 && number <= most ? number : null;
}
