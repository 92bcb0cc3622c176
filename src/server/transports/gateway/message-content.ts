import type { MessageKind } from "../../../domain/chat.ts";
import { leavingOf } from "../../../domain/leaving.ts";
import { normalizeLine, TURNING } from "../../../domain/message-text.ts";
import { cleanText, textAt, valueAt } from "./own-values.ts";

/** No system has files with longer names. */
const FILE_NAME_MOST = 255;

/**
 * What a message says, without who and when. `null` where there is nothing that a chat shows (keys, revocations, settings, reactions taken
 * back).
 */
export type MessageContent = { kind: MessageKind; text: string; quotedId: string | null };

/** Envelopes around the real message: disappearing, seen once, a document with a caption, a picture of an album. */
const WRAPPERS = [
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
  "editedMessage",
  "lottieStickerMessage",
  "associatedChildMessage",
];

/** Carried along with a message, or sent between devices: nothing that somebody said. */
const SILENT = new Set([
  "protocolMessage",
  "senderKeyDistributionMessage",
  "messageContextInfo",
  "keepInChatMessage",
  "pinInChatMessage",
  "encReactionMessage",
  "pollUpdateMessage",
  // Only that pictures and films follow, each as a message of its own.
  "albumMessage",
]);

/**
 * What comes after a picture or film and belongs to it: the same in better quality, or how it moves. By the name or number of
 * `MessageAssociation.AssociationType`, as gateways and Baileys write it.
 */
const COPIES: ReadonlySet<unknown> = new Set([
  ...["HD_VIDEO_DUAL_UPLOAD", "HD_IMAGE_DUAL_UPLOAD", "MOTION_PHOTO", "HEVC_VIDEO_DUAL_UPLOAD"],
  ...[5, 10, 12, 19],
]);

type Kind = {
  kind: MessageKind;
  /** Where its text stands, the first that is there. */
  text: readonly (readonly string[])[];
};

const KINDS: Readonly<Record<string, Kind>> = {
  extendedTextMessage: { kind: "text", text: [["text"]] },
  buttonsResponseMessage: { kind: "text", text: [["selectedDisplayText"]] },
  templateButtonReplyMessage: { kind: "text", text: [["selectedDisplayText"]] },
  listResponseMessage: { kind: "text", text: [["title"]] },
  // What was chosen among buttons or in a list, where clients draw these themselves.
  interactiveResponseMessage: { kind: "text", text: [["body", "text"]] },
  imageMessage: { kind: "image", text: [["caption"]] },
  videoMessage: { kind: "video", text: [["caption"]] },
  ptvMessage: { kind: "video", text: [] },
  audioMessage: { kind: "audio", text: [] },
  documentMessage: { kind: "document", text: [["caption"]] },
  stickerMessage: { kind: "sticker", text: [] },
  locationMessage: { kind: "location", text: [["comment"], ["name"], ["address"]] },
  liveLocationMessage: { kind: "location", text: [["caption"]] },
  contactMessage: { kind: "contact", text: [["displayName"]] },
  contactsArrayMessage: { kind: "contact", text: [["displayName"]] },
  reactionMessage: { kind: "reaction", text: [["text"]] },
  pollCreationMessage: { kind: "other", text: [["name"]] },
  pollCreationMessageV2: { kind: "other", text: [["name"]] },
  pollCreationMessageV3: { kind: "other", text: [["name"]] },
  pollCreationMessageV5: { kind: "other", text: [["name"]] },
  // With buttons or lists, which only the phone shows: from other businesses, and from our number by another program.
  buttonMessage: { kind: "other", text: [["title"]] },
  buttonsMessage: { kind: "other", text: [["contentText"]] },
  listMessage: { kind: "other", text: [["description"], ["title"]] },
  interactiveMessage: { kind: "other", text: [["body", "text"]] },
  templateMessage: {
    kind: "other",
    text: [
      ["hydratedTemplate", "hydratedContentText"],
      ["hydratedFourRowTemplate", "hydratedContentText"],
      ["interactiveMessageTemplate", "body", "text"],
    ],
  },
};

/**
 * Reads a message as a gateway hands it on: Baileys' own object, or the EVOLUTION channel's (`{conversation}`, `{mediaUrl}` with the kind
 * in `messageType` alone). Kinds that nobody has heard of are `other`.
 */
export function readContent(message: unknown, messageType: string | null): MessageContent | null {
  const levels = unwrap(message);
  if (levels.some(isCopy)) return null;
  const inner = levels.at(-1);
  const plain = valueAt(inner, "conversation");
  if (typeof plain === "string")
    return { kind: "text", text: plain, quotedId: textAt(inner, "quoted", "id") };
  const names = typeof inner === "object" && inner !== null ? Object.keys(inner) : [];
  const name = names.find((one) => Object.hasOwn(KINDS, one));
  if (name) return known(name, valueAt(inner, name));
  if (messageType !== null && Object.hasOwn(KINDS, messageType)) return known(messageType, inner);
  const telling = names.filter((one) => !SILENT.has(one));
  if (telling.length === 0 || (messageType !== null && SILENT.has(messageType))) return null;
  return { kind: "other", text: "", quotedId: null };
}

function known(name: string, part: unknown): MessageContent | null {
  const { kind, text } = KINDS[name] ?? { kind: "other", text: [] };
  const written = text.map((path) => textAt(part, ...path)).find((one) => one !== null);
  const found = written ?? (kind === "document" ? fileNameOf(part) : undefined);
  // A reaction taken back.
  if (kind === "reaction" && found === undefined) return null;
  const quoted = kind === "reaction" ? textAt(part, "key", "id") : textAt(part, "contextInfo", "stanzaId");
  return { kind, text: found ?? "", quotedId: quoted };
}

/** What a document without words is called. Who sends a file named «Sair» says nothing with it, but its text would be taken for theirs. */
function fileNameOf(document: unknown): string {
  const name = cleanText(textAt(document, "fileName") ?? "", FILE_NAME_MOST);
  const line = normalizeLine(name.replace(TURNING, ""));
  return leavingOf(line) === "no" ? line : "";
}

const isCopy = (level: unknown): boolean =>
  COPIES.has(valueAt(level, "messageContextInfo", "messageAssociation", "associationType"));

/** The message with its envelopes, the innermost last. */
function unwrap(message: unknown): unknown[] {
  const levels = [message];
  for (let depth = 0; depth < 4; depth++) {
    const outer = levels.at(-1);
    const wrapper = WRAPPERS.find((name) => valueAt(outer, name, "message") !== undefined);
    if (!wrapper) return levels;
    levels.push(valueAt(outer, wrapper, "message"));
  }
  return levels;
}
