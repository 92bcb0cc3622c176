import type { commonText as portuguese } from "../common.ts";
import type { Texts } from "../texts.ts";

export const commonText: Texts<typeof portuguese> = {
  product: "Recado",
  retry: "Try again",
  cancel: "Cancel",
  close: "Close",
  copy: "Copy",
  copied: "Copied!",
  copyFailed: "It could not be copied. Select the text and copy it with the keyboard.",
  loading: "Loading...",
  optional: "(optional)",
  clearSearch: "Clear search",
  none: "—",
  today: "today",
  yesterday: "yesterday",
  at: "at",
  about: "about",
  dismiss: "Close notice",
  notifications: "Notices",
  percentOf: (done, total) => `${done} of ${total}`,
  imageUnsupported: "Use a JPG, PNG or WebP image.",
  imageTooLarge: "The image is over 5 MB.",
  imageFailed: "The image could not be sent.",
  language: "Language",
  languageFailed: "The language could not be changed.",
  skip: "Skip to content",
};
