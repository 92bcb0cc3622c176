import type { AttachmentKind } from "./attachment.ts";
import { attachmentName } from "./attachment-name.ts";
import type { MessageKind } from "./chat.ts";
import { isBlank } from "./message-text.ts";

type Said = { kind: MessageKind; text: string };

/** `file`: of what the message carries or carried. Stickers, places, cards and the like cannot be sent from here. */
export const isForwardable = ({ kind, text, file }: Said & { file: AttachmentKind | null }): boolean =>
  file === null ? kind === "text" && !isBlank(text) : file !== "sticker";

/** The words beside a file. A document without any says its name, `name` as it was received. */
export const captionOf = ({ kind, text, name }: Said & { name: string | null }): string =>
  kind === "document" && name !== null && attachmentName(text) === name ? "" : text;
