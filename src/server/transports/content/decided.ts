import { leavingOf } from "../../../domain/leaving.ts";
import { normalizeLine, TURNING } from "../../../domain/message-text.ts";
import type { ContactCard } from "../transport.ts";
import { cardsText, readCard, readCards } from "./cards.ts";
import {
  readButtonReply,
  readButtons,
  readInteractive,
  readInteractiveReply,
  readList,
  readListReply,
  readPoll,
  readPollResult,
  readStructured,
  readTemplate,
  readVote,
} from "./choices.ts";
import { coordinates, lines, listAt, mapLink, moment, written } from "./lines.ts";
import { cleanText, textAt, valueAt } from "./own-values.ts";
import type { Said } from "./said.ts";
import {
  quotedProduct,
  readOrder,
  readPayment,
  readPaymentRequest,
  readProduct,
  webAddress,
} from "./trade.ts";

/**
 * `envelope`: wraps the real message; `silent`: no chat shows it; `beside`: describes the message; `phone`:
 * shown as «Mensagem que só o celular mostra»; else a reader of its text.
 */
export type Decided = ((part: unknown) => Said | null) | "envelope" | "silent" | "beside" | "phone";

const FILE_NAME_MOST = 255;

const textIn =
  (kind: Said["kind"], ...path: readonly string[]) =>
  (part: unknown): Said => ({ kind, text: textAt(part, ...path) ?? "" });

/**
 * Every field of the pinned Baileys' `Message` plus those of gateways; a missing one fails `decided.test.ts`.
 */
export const DECIDED: Readonly<Record<string, Decided>> = {
  conversation: (text) => ({ kind: "text", text: typeof text === "string" ? text : "" }),
  extendedTextMessage: (part) => {
    const text = textAt(part, "text") ?? lines(textAt(part, "title"), textAt(part, "matchedText"));
    return { kind: "text", text: written(text, quotedProduct(part)), ...linkIn(part) };
  },
  imageMessage: textIn("image", "caption"),
  videoMessage: textIn("video", "caption"),
  ptvMessage: textIn("video", "caption"),
  audioMessage: () => ({ kind: "audio", text: "" }),
  documentMessage: (part) => ({ kind: "document", text: textAt(part, "caption") ?? fileNameOf(part) }),
  stickerMessage: () => ({ kind: "sticker", text: "" }),
  stickerPackMessage: (part) => ({
    kind: "sticker",
    text: lines(textAt(part, "name"), textAt(part, "caption")),
  }),
  locationMessage: readPlace,
  liveLocationMessage: readPlace,
  contactMessage: (part) => saidCards([readCard(part)]),
  contactsArrayMessage: (part) => saidCards(readCards(part)),
  chat: textIn("contact", "displayName"),
  reactionMessage: (part) => {
    const takenAway = textAt(part, "key", "id") !== null;
    const text = textAt(part, "text") ?? (takenAway ? "" : null);
    return text === null ? null : { kind: "reaction", text };
  },
  groupInviteMessage: (part) => {
    const code = textAt(part, "inviteCode");
    const link = code && /^[\w-]{1,64}$/.test(code) && `https://chat.whatsapp.com/${code}`;
    return { kind: "invite", text: lines(textAt(part, "caption"), textAt(part, "groupName"), link) };
  },
  newsletterAdminInviteMessage: readChannelInvite,
  newsletterFollowerInviteMessageV2: readChannelInvite,
  eventMessage: (part) => ({
    kind: "event",
    text: lines(
      ...[textAt(part, "name"), valueAt(part, "isCanceled") === true && "Evento cancelado"],
      ...[moment(valueAt(part, "startTime")), endOf(part)],
      ...[placeText(valueAt(part, "location")), textAt(part, "description")],
      webAddress(textAt(part, "joinLink")),
    ),
  }),
  scheduledCallCreationMessage: (part) => ({
    kind: "event",
    text: lines(textAt(part, "title"), moment(valueAt(part, "scheduledTimestampMs"))),
  }),
  callLogMesssage: (part) => ({
    kind: "other",
    text: valueAt(part, "isVideo") === true ? "Chamada de vídeo" : "Chamada de voz",
  }),
  bcallMessage: textIn("other", "caption"),

  productMessage: readProduct,
  orderMessage: readOrder,
  sendPaymentMessage: readPayment,
  requestPaymentMessage: readPaymentRequest,
  declinePaymentRequestMessage: () => ({ kind: "payment", text: "Pedido de pagamento recusado" }),
  cancelPaymentRequestMessage: () => ({ kind: "payment", text: "Pedido de pagamento cancelado" }),
  invoiceMessage: readPayment,
  paymentInviteMessage: () => ({ kind: "payment", text: "" }),

  pollCreationMessage: readPoll,
  pollCreationMessageV2: readPoll,
  pollCreationMessageV3: readPoll,
  pollCreationMessageV5: readPoll,
  pollResultSnapshotMessage: readPollResult,
  pollResultSnapshotMessageV3: readPollResult,
  pollUpdateMessage: readVote,

  buttonsResponseMessage: readButtonReply,
  templateButtonReplyMessage: readButtonReply,
  listResponseMessage: readListReply,
  interactiveResponseMessage: readInteractiveReply,
  questionResponseMessage: textIn("text", "text"),
  statusQuestionAnswerMessage: textIn("text", "text"),
  statusQuotedMessage: textIn("text", "text"),
  // From other businesses, or from our number by another program.
  buttonsMessage: readButtons,
  listMessage: readList,
  interactiveMessage: readInteractive,
  templateMessage: readTemplate,
  highlyStructuredMessage: readStructured,
  richResponseMessage: (part) => ({
    kind: "other",
    text: lines(...listAt(part, "submessages").map((one) => textAt(one, "messageText"))),
  }),
  // Only on the EVOLUTION channel.
  buttonMessage: textIn("other", "title"),

  deviceSentMessage: "envelope",
  ephemeralMessage: "envelope",
  viewOnceMessage: "envelope",
  viewOnceMessageV2: "envelope",
  viewOnceMessageV2Extension: "envelope",
  documentWithCaptionMessage: "envelope",
  editedMessage: "envelope",
  groupMentionedMessage: "envelope",
  botInvokeMessage: "envelope",
  botTaskMessage: "envelope",
  botForwardedMessage: "envelope",
  lottieStickerMessage: "envelope",
  commentMessage: "envelope",
  eventCoverImage: "envelope",
  pollCreationOptionImageMessage: "envelope",
  associatedChildMessage: "envelope",
  pollCreationMessageV4: "envelope",
  statusAddYours: "envelope",
  groupStatusMessage: "envelope",
  groupStatusMessageV2: "envelope",
  limitSharingMessage: "envelope",
  questionMessage: "envelope",
  questionReplyMessage: "envelope",

  // Keys, settings and history between devices.
  senderKeyDistributionMessage: "silent",
  fastRatchetKeySenderKeyDistributionMessage: "silent",
  protocolMessage: "silent",
  stickerSyncRmrMessage: "silent",
  messageHistoryBundle: "silent",
  // Shown on another message, like votes and reactions.
  keepInChatMessage: "silent",
  pinInChatMessage: "silent",
  encReactionMessage: "silent",
  encEventResponseMessage: "silent",
  albumMessage: "silent",

  messageContextInfo: "beside",

  // They say nothing that could be read here: the phone rings, or asks its owner.
  call: "phone",
  scheduledCallEditMessage: "phone",
  requestPhoneNumberMessage: "phone",
  // Sealed with a key that is not here, or still to come.
  encCommentMessage: "phone",
  placeholderMessage: "phone",
  secretEncryptedMessage: "phone",
  // Notice between devices; the phone shows it as «mencionou você».
  statusMentionMessage: "phone",
  groupStatusMentionMessage: "phone",
  // About statuses, or the history that a new member was shown: no chat has what they mean.
  statusNotificationMessage: "phone",
  messageHistoryNotice: "phone",
  statusStickerInteractionMessage: "phone",
};

/** Undefined for a field that WhatsApp added later. */
export const decidedOf = (name: string): Decided | undefined =>
  Object.hasOwn(DECIDED, name) ? DECIDED[name] : undefined;

function readChannelInvite(part: unknown): Said {
  return { kind: "invite", text: lines(textAt(part, "caption"), textAt(part, "newsletterName")) };
}

const saidCards = (contacts: ContactCard[]): Said => ({
  kind: "contact",
  text: cardsText(contacts),
  details: { contacts },
});

function linkIn(part: unknown): Pick<Said, "details"> {
  const matched = textAt(part, "matchedText");
  const url = matched && URL.parse(/^[a-z]+:/i.test(matched) ? matched : `https://${matched}`);
  const title = textAt(part, "title");
  if (!url || !title || !webAddress(url.href)) return {};
  return { details: { link: { url: url.href, title, description: textAt(part, "description") ?? "" } } };
}

function readPlace(part: unknown): Said {
  const place = coordinates(part);
  return { kind: "location", text: placeText(part), ...(place ? { details: { place } } : {}) };
}

function placeText(place: unknown): string {
  return lines(
    ...[textAt(place, "comment"), textAt(place, "caption"), textAt(place, "name")],
    ...[textAt(place, "address"), mapLink(place), webAddress(textAt(place, "url"))],
  );
}

function endOf(event: unknown): string | null {
  const end = moment(valueAt(event, "endTime"));
  return end && `até ${end}`;
}

/**
 * File name if there is no caption. A file named «Sair» is no opt-out, so this text must not count as the
 * sender's.
 */
function fileNameOf(document: unknown): string {
  const name = cleanText(textAt(document, "fileName") ?? "", FILE_NAME_MOST);
  const line = normalizeLine(name.replace(TURNING, ""));
  return leavingOf(line) === "no" ? line : "";
}
