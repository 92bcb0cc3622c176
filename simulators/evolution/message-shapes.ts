import { createHash, randomBytes } from "node:crypto";

export type MediaKind = "image" | "document" | "video" | "audio";

export type Media = {
  kind: MediaKind;
  bytes: Buffer;
  mimetype: string;
  caption?: string;
  fileName?: string;
  /** An audio that plays as a voice note. */
  voice?: boolean;
};

export type ReceivedMedia = Omit<Media, "kind"> & {
  kind: MediaKind | "sticker";
  /** Seconds of a video or sound; a sound of 3 s is a voice note unless said otherwise. */
  seconds?: number;
  ptt?: boolean;
  pages?: number;
  /** In versions whose webhooks leave it out. */
  withoutBase64?: boolean;
};

const long = (low: number, unsigned = false) => ({ low, high: 0, unsigned });

/** Recordings 09b, 09d. */
const bytesAsObject = (bytes: Buffer) => ({ ...bytes });

const EPHEMERAL_SECONDS = 172_800;

/** Recording 09b. */
export const sentContext = (seconds: number, quoted?: object) => ({
  mentionedJid: [],
  groupMentions: [],
  ephemeralSettingTimestamp: long(seconds - EPHEMERAL_SECONDS),
  disappearingMode: { initiator: 0 },
  ...quoted,
});

/** Recording 09d. */
export const quotedContext = (id: string, participant: string, text: string) => ({
  mentionedJid: [],
  groupMentions: [],
  statusAttributions: [],
  stanzaId: id,
  participant,
  quotedMessage: { conversation: text },
});

/** Field order of recording 09b. */
export function sentMediaMessage(media: Media, seconds: number): Record<string, unknown> {
  const lists =
    media.kind === "image" ? { interactiveAnnotations: [], scanLengths: [], annotations: [] } : {};
  return {
    [`${media.kind}Message`]: {
      ...lists,
      ...mediaFields(media, seconds),
      contextInfo: sentContext(seconds),
    },
  };
}

export function receivedMediaMessage(
  { seconds: length = 3, ptt = true, pages, withoutBase64, ...media }: ReceivedMedia,
  seconds: number,
  base64: boolean,
): Record<string, unknown> {
  const facts = {
    ...(media.kind === "audio" && { seconds: length, ptt }),
    ...(media.kind === "video" && { seconds: length }),
    ...(pages !== undefined && { pageCount: pages }),
  };
  return {
    [`${media.kind}Message`]: { ...mediaFields(media, seconds), ...facts },
    ...(base64 && !withoutBase64 && { base64: media.bytes.toString("base64") }),
  };
}

function mediaFields(
  { kind, bytes, mimetype, caption, fileName, voice }: Pick<ReceivedMedia, keyof Media>,
  seconds: number,
) {
  // A gateway re-encodes images (152 bytes became 289, recording 09b).
  const hash = createHash("sha256").update(bytes);
  if (kind === "image") hash.update("re-encoded");
  const path = `/mms/${kind}/${randomBytes(32).toString("base64url")}`;
  return {
    url: `https://mmg.invalid${path}`,
    mimetype,
    ...(kind === "image" && caption !== undefined && { caption }),
    fileSha256: bytesAsObject(hash.digest()),
    fileLength: long(kind === "image" ? bytes.length + 137 : bytes.length, true),
    mediaKey: bytesAsObject(randomBytes(32)),
    ...(fileName !== undefined && kind === "document" && { fileName }),
    fileEncSha256: bytesAsObject(randomBytes(32)),
    directPath: path,
    mediaKeyTimestamp: long(seconds),
    ...(kind !== "image" && caption !== undefined && { caption }),
    ...(voice && { ptt: true }),
  };
}

/** Other bytes are refused (recording 09b). */
export function isPicture(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 12).toString("latin1");
  return /^(\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP)/s.test(start);
}
