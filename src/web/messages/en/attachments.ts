import type { attachmentText as portuguese } from "../attachments.ts";
import { counted } from "../format.ts";
import type { Texts } from "../texts.ts";

export const attachmentText: Texts<typeof portuguese> = {
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
