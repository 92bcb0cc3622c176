import type { AttachmentKind } from "../../../domain/attachment.ts";
import type { AboutMessage } from "../transport.ts";

/** All fields are sent, because a gateway keeps the old value of an omitted one. */
export type WantedWebhook = {
  enabled: boolean;
  /** At most 500 characters; posted only to http(s). */
  url: string;
  headers: Record<string, string>;
  /** As `MESSAGES_UPSERT`; empty: all. */
  events: readonly string[];
};

export type NewInstance = {
  name: string;
  token: string | null;
  /** Digits with country code; adds a pairing code. */
  number: string | null;
  webhook: WantedWebhook | null;
  /** EVOLUTION is open at once and sends nothing. */
  integration?: "WHATSAPP-BAILEYS" | "EVOLUTION";
};

export type MessageSearch = {
  remoteJid?: string;
  id?: string;
  /** Gateways ignore `false`. */
  fromMe?: true;
  /** One bound alone is ignored. */
  between?: { from: Date; to: Date };
  page?: number;
  pageSize?: number;
};

/** Empty texts disable proxy, Chatwoot and Typebot (recording 02). */
const SETTINGS = {
  rejectCall: false,
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory: false,
  proxyHost: "",
  proxyPort: "",
  proxyProtocol: "",
  proxyUsername: "",
  proxyPassword: "",
  chatwootAccountId: "",
  chatwootToken: "",
  chatwootUrl: "",
  typebot: "",
  typebotUrl: "",
};

export function webhookBody({ enabled, url, headers, events }: WantedWebhook) {
  return { enabled, url, headers, byEvents: false, base64: true, events };
}

export function searchBody({ remoteJid, id, fromMe, between, page = 1, pageSize = 50 }: MessageSearch) {
  const key = {
    ...(remoteJid === undefined ? {} : { remoteJid }),
    ...(id === undefined ? {} : { id }),
    ...(fromMe ? { fromMe } : {}),
  };
  return {
    where: {
      ...(Object.keys(key).length > 0 ? { key } : {}),
      ...(between
        ? { messageTimestamp: { gte: between.from.toISOString(), lte: between.to.toISOString() } }
        : {}),
    },
    page,
    offset: pageSize,
  };
}

export function instanceBody({
  name,
  token,
  number,
  webhook,
  integration = "WHATSAPP-BAILEYS",
}: NewInstance) {
  return {
    instanceName: name,
    ...(token ? { token } : {}),
    ...(number ? { number } : {}),
    qrcode: integration === "WHATSAPP-BAILEYS",
    integration,
    ...SETTINGS,
    ...(webhook ? { webhook: webhookBody(webhook) } : {}),
  };
}

/** `to`: JID or digits with country code. */
export type NewText = { to: string; text: string; quoted?: AboutMessage | null };

export type NewFile = {
  to: string;
  kind: AttachmentKind;
  /** Empty but for documents. */
  name: string;
  caption: string;
  base64: string;
  mime: string;
  quoted?: AboutMessage | null;
};

export const keyBody = (to: string, { id, fromMe, participant }: AboutMessage) => ({
  remoteJid: to,
  fromMe,
  id,
  ...(participant === null ? {} : { participant }),
});

export const quotedBody = (to: string, quoted: AboutMessage | null | undefined) =>
  quoted ? { quoted: { key: keyBody(to, quoted), message: { conversation: quoted.text } } } : {};

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "imagem.png",
  "image/jpeg": "imagem.jpg",
  "video/mp4": "video.mp4",
  "audio/mpeg": "audio.mp3",
  "audio/mp4": "audio.m4a",
  "audio/ogg": "audio.ogg",
};

export function mediaBody({ to, kind, name, caption, base64, mime, quoted }: NewFile) {
  return {
    number: to,
    mediatype: kind,
    mimetype: mime,
    // Gateways refuse a data URI.
    media: base64,
    fileName: name || (ENDINGS[mime] ?? "arquivo"),
    ...(caption === "" ? {} : { caption }),
    ...quotedBody(to, quoted),
  };
}

/** Ours is OGG/Opus already; without `encoding: false` the gateway runs a converter. */
export const voiceBody = ({ to, base64, quoted }: NewFile) => ({
  number: to,
  audio: base64,
  encoding: false,
  ...quotedBody(to, quoted),
});
