import { leavingOf } from "../../../domain/leaving.ts";
import { normalizeLine, TURNING } from "../../../domain/message-text.ts";
import { cardsText, cardText } from "./cards.ts";
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
import { lines, listAt, mapLink, moment, written } from "./lines.ts";
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
 * What becomes of a field of WhatsApp's `Message`: its words are read; it is an envelope around the real message; it is nothing that
 * somebody said (keys, settings, what the phone shows inside another message); it says something about the message beside it; or it is
 * shown as «Mensagem que só o celular mostra».
 */
export type Decided = ((part: unknown) => Said | null) | "envelope" | "silent" | "beside" | "phone";

/** No system has files with longer names. */
const FILE_NAME_MOST = 255;

/** A reader for messages of a kind whose words stand in one field. */
const textIn =
  (kind: Said["kind"], ...path: readonly string[]) =>
  (part: unknown): Said => ({ kind, text: textAt(part, ...path) ?? "" });

/** Every field of the pinned Baileys' `Message`, and what gateways add. A field missing here fails `decided.test.ts`. */
export const DECIDED: Readonly<Record<string, Decided>> = {
  conversation: (text) => ({ kind: "text", text: typeof text === "string" ? text : "" }),
  extendedTextMessage: (part) => {
    const text = textAt(part, "text") ?? lines(textAt(part, "title"), textAt(part, "matchedText"));
    return { kind: "text", text: written(text, quotedProduct(part)) };
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
  locationMessage: (part) => ({ kind: "location", text: placeText(part) }),
  liveLocationMessage: (part) => ({ kind: "location", text: placeText(part) }),
  contactMessage: (part) => ({ kind: "contact", text: cardText(part) }),
  contactsArrayMessage: (part) => ({ kind: "contact", text: cardsText(part) }),
  chat: textIn("contact", "displayName"),
  // A reaction without a sign is one taken back.
  reactionMessage: (part) => {
    const text = textAt(part, "text");
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
  // From other businesses, and from our number by another program.
  buttonsMessage: readButtons,
  listMessage: readList,
  interactiveMessage: readInteractive,
  templateMessage: readTemplate,
  highlyStructuredMessage: readStructured,
  richResponseMessage: (part) => ({
    kind: "other",
    text: lines(...listAt(part, "submessages").map((one) => textAt(one, "messageText"))),
  }),
  // Of the EVOLUTION channel alone.
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

  senderKeyDistributionMessage: "silent",
  fastRatchetKeySenderKeyDistributionMessage: "silent",
  protocolMessage: "silent",
  stickerSyncRmrMessage: "silent",
  messageHistoryBundle: "silent",
  // The phone shows these at another message, as it does votes and reactions.
  keepInChatMessage: "silent",
  pinInChatMessage: "silent",
  encReactionMessage: "silent",
  encEventResponseMessage: "silent",
  // Only that pictures and films follow, each as a message of its own.
  albumMessage: "silent",

  messageContextInfo: "beside",

  call: "phone",
  scheduledCallEditMessage: "phone",
  requestPhoneNumberMessage: "phone",
  encCommentMessage: "phone",
  placeholderMessage: "phone",
  secretEncryptedMessage: "phone",
  // An envelope around a notice between devices, which the phone shows as «mencionou você».
  statusMentionMessage: "phone",
  groupStatusMentionMessage: "phone",
  statusNotificationMessage: "phone",
  messageHistoryNotice: "phone",
  statusStickerInteractionMessage: "phone",
};

/** What is decided of a field; undefined for one that WhatsApp has had since. */
export const decidedOf = (name: string): Decided | undefined =>
  Object.hasOwn(DECIDED, name) ? DECIDED[name] : undefined;

function readChannelInvite(part: unknown): Said {
  return { kind: "invite", text: lines(textAt(part, "caption"), textAt(part, "newsletterName")) };
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

/** What a document without words is called. A file named «Sair» says nothing, but its text would be taken for its sender's. */
function fileNameOf(document: unknown): string {
  const name = cleanText(textAt(document, "fileName") ?? "", FILE_NAME_MOST);
  const line = normalizeLine(name.replace(TURNING, ""));
  return leavingOf(line) === "no" ? line : "";
}
