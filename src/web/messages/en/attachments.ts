import type { attachmentText as portuguese } from "../attachments.ts";
import { counted } from "../format.ts";
import type { Texts } from "../texts.ts";

export const attachmentText: Texts<typeof portuguese> = {
  limits: (mb) =>
    mb <= 16
      ? `Photo, MP4 video, audio or document, up to ${mb} MB.`
      : `Photo, MP4 video or audio, up to 16 MB; documents, up to ${mb} MB.`,
  fileTooLarge: (mb) => `The file is over ${mb} MB.`,
  fileFailed: "The file could not be sent.",
  reduced: "The image was reduced to the size WhatsApp shows.",
  speed: (times) => `Speed: ${times === 1 ? "normal" : `${times} times`}`,
  pages: (count: number) => counted(count, "page", "pages"),
  kinds: {
    image: "Image",
    video: "Video",
    audio: "Audio",
    voice: "Voice message",
    document: "Document",
    sticker: "Sticker",
  },
};
