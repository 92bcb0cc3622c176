import type { riskText as portuguese } from "../risk.ts";
import type { Texts } from "../texts.ts";

export const riskText: Texts<typeof portuguese> = {
  title: "Before your first campaign",
  lead: "WhatsApp may block a number that sends in bulk, for a while or for good. Read this once:",
  consentTitle: "Only to those who agreed.",
  consent:
    "WhatsApp's rules ask that people have given you their number and agreed to receive your messages.",
  unofficialTitle: "This is not the official way.",
  unofficial:
    "Messages go through a linked phone, and WhatsApp does not allow automation through it. For large volumes there is the official WhatsApp Business API.",
  blockTitle: "Nothing here protects you from being blocked.",
  block:
    "Longer intervals disturb people less, but they do not make the sending allowed. If the number is blocked, only WhatsApp can give it back.",
  optOutTitle: "People who ask to leave, leave.",
  optOut: "Answers such as SAIR take the person out of the next campaigns.",
  policy: "WhatsApp Business Messaging Policy",
  newTab: "(opens in another tab)",
  accept: "Understood, create campaign",
  accepting: "Saving...",
  failed: "It was not possible to go on",
};
