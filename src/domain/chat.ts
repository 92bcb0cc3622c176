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
  "vote",
  "event",
  "product",
  "order",
  "payment",
  "invite",
  "other",
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** `contact`: the other side; `gateway`: another program through the gateway; `api`: the REST interface. */
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
