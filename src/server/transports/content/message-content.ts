import type { MessageKind } from "../../../domain/chat.ts";
import type { MessageDetails, QuotedPart } from "../transport.ts";
import { decidedOf } from "./decided.ts";
import { cleanText, textAt, valueAt } from "./own-values.ts";

export type MessageContent = {
  kind: MessageKind;
  text: string;
  quotedId: string | null;
  quoted?: QuotedPart;
  details?: MessageDetails;
};

/** WhatsApp nests three; a stranger may nest thousands. */
const ENVELOPES_MOST = 8;

/**
 * Associations that repeat a picture or video (quality, motion); `MessageAssociation.AssociationType` as name
 * or number.
 */
const COPIES: ReadonlySet<unknown> = new Set([
  "HD_VIDEO_DUAL_UPLOAD",
  "HD_IMAGE_DUAL_UPLOAD",
  "MOTION_PHOTO",
  "HEVC_VIDEO_DUAL_UPLOAD",
  5,
  10,
  12,
  19,
]);

/**
 * Reads messages of Baileys and gateways. Unknown kinds become `other`: newer ones arrive as an empty object,
 * and their sender still waits for an answer.
 */
export function readContent(message: unknown, messageType: string | null): MessageContent | null {
  const levels = unwrap(message);
  if (levels.some(isCopy)) return null;
  const inner = levels.at(-1);
  if (typeof inner !== "object" || inner === null) return null;
  const names = Object.entries(inner).flatMap(([name, value]) => (value == null ? [] : name));
  const plain = textAt(inner, "conversation") !== null;
  const name = plain ? "conversation" : names.find((one) => one !== "conversation" && isRead(one));
  if (name) return known(name, valueAt(inner, name), textAt(inner, "quoted", "id"));
  if (messageType !== null && isRead(messageType)) return known(messageType, inner, null);
  const isSilent = (one: string) => decidedOf(one) === "silent";
  const telling = names.filter((one) => !isSilent(one) && decidedOf(one) !== "beside");
  if (telling.length === 0 && names.some(isSilent)) return null;
  if (messageType !== null && isSilent(messageType)) return null;
  return ON_THE_PHONE;
}

const QUOTED_MOST = 1_000;

export function readQuoted(contextInfo: unknown): { quoted?: QuotedPart } {
  const message = valueAt(contextInfo, "quotedMessage");
  const content = message == null ? null : readContent(message, null);
  if (!content || textAt(contextInfo, "stanzaId") === null) return {};
  const { kind, text } = content;
  const participant = textAt(contextInfo, "participant");
  return { quoted: { kind, text: cleanText(text, QUOTED_MOST), participant } };
}

const ON_THE_PHONE: MessageContent = { kind: "other", text: "", quotedId: null };

const isRead = (name: string) => typeof decidedOf(name) === "function";

const ABOUT: Partial<Record<MessageKind, string>> = { reaction: "key", vote: "pollCreationMessageKey" };

function known(name: string, part: unknown, quotedBeside: string | null): MessageContent | null {
  const read = decidedOf(name);
  const said = typeof read === "function" ? read(part) : null;
  if (said === null) return null;
  const quoted = ABOUT[said.kind]
    ? textAt(part, ABOUT[said.kind] ?? "", "id")
    : textAt(part, "contextInfo", "stanzaId");
  const quotedId = quoted ?? (name === "conversation" ? quotedBeside : null);
  const content = said.kind === "text" && said.text === "" ? ON_THE_PHONE : said;
  return { ...content, quotedId, ...readQuoted(valueAt(part, "contextInfo")) };
}

const isCopy = (level: unknown): boolean =>
  COPIES.has(valueAt(level, "messageContextInfo", "messageAssociation", "associationType"));

export const innermost = (message: unknown): unknown => unwrap(message).at(-1);

function unwrap(message: unknown): unknown[] {
  const levels = [message];
  for (let depth = 0; depth < ENVELOPES_MOST; depth++) {
    const outer = levels.at(-1);
    const names = typeof outer === "object" && outer !== null ? Object.keys(outer) : [];
    const envelope = names.find(
      (name) => decidedOf(name) === "envelope" && valueAt(outer, name, "message") !== undefined,
    );
    if (!envelope) return levels;
    levels.push(valueAt(outer, envelope, "message"));
  }
  return levels;
}
