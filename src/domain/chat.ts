/** What a message is. Kinds without text show their name and, where there is one, their caption. */
export const MESSAGE_KINDS = [
  "text",
  "image",
  "audio",
  "video",
  "document",
  "sticker",
  "location",
  "contact",
  "reaction",
  "poll",
  "event",
  "product",
  "order",
  "payment",
  "invite",
  "other",
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/**
 * Where a message of a chat came from: the other side (`contact`); ourselves on the phone, through the gateway by another program
 * (`gateway`), in the chat screen, by the assistant, by a campaign, over the REST interface (`api`), as the confirmation of an
 * opt-out, or as a test of a campaign's message.
 */
export const MESSAGE_SOURCES = [
  "contact",
  "phone",
  "gateway",
  "chat",
  "agent",
  "campaign",
  "api",
  "opt_out",
  "test",
] as const;
export type MessageSource = (typeof MESSAGE_SOURCES)[number];
