import type { restoredText as portuguese } from "../restored.ts";
import type { Texts } from "../texts.ts";

export const restoredText: Texts<typeof portuguese> = {
  label: "Restored installation",
  fact: (when) => `This data is a copy made on ${when}. Nothing is sent and no number is connected for now.`,
  after:
    "What was sent after the copy is missing here: people who already got a message show as pending and would get it again, and so would people who asked to leave after it. Those who were getting it at that very moment are “Unconfirmed”.",
  next: "The administrator releases this installation once the original is off; both together would compete for the same numbers. After that, each campaign goes on only when someone chooses “Continue”.",
  command: "For the administrator:",
};
