import type { MessageKind } from "../../../domain/chat.ts";
import { textAt, valueAt } from "./own-values.ts";

/** What a message says, without who and when. `null` where there is nothing that a chat shows (keys, revocations, settings). */
export type MessageContent = { kind: MessageKind; text: string; quotedId: string | null };

/** Envelopes around the real message: disappearing, seen once, a document with a caption. */
const WRAPPERS = [
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
  "editedMessage",
  "lottieStickerMessage",
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
  pollCreationMessageV3: { kind: "other", text: [["name"]] },
  buttonMessage: { kind: "other", text: [["title"]] },
};

/**
 * Reads a message as a gateway hands it on: Baileys' own object, or the EVOLUTION channel's (`{conversation}`, `{mediaUrl}` with the kind
 * in `messageType` alone). Kinds that nobody has heard of are `other`.
 */
export function readContent(message: unknown, messageType: string | null): MessageContent | null {
  const inner = unwrap(message);
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

function known(name: string, part: unknown): MessageContent {
  const { kind, text } = KINDS[name] ?? { kind: "other", text: [] };
  const found = text.map((path) => textAt(part, ...path)).find((one) => one !== null);
  const quoted = kind === "reaction" ? textAt(part, "key", "id") : textAt(part, "contextInfo", "stanzaId");
  return { kind, text: found ?? "", quotedId: quoted };
}

function unwrap(message: unknown): unknown {
  let inner = message;
  for (let depth = 0; depth < 4; depth++) {
    const wrapper = WRAPPERS.find((name) => valueAt(inner, name, "message") !== undefined);
    if (!wrapper) return inner;
    inner = valueAt(inner, wrapper, "message");
  }
  return inner;
}
