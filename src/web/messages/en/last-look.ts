import { counted } from "../format.ts";
import type { lastLookText as portuguese } from "../last-look.ts";
import type { Texts } from "../texts.ts";

export const lastLookText: Texts<typeof portuguese> = {
  title: "Check before you create it",
  titleScheduled: "Check before you schedule it",
  receive: (count: number) => (count === 1 ? "person gets it" : "people get it"),
  counting: "Counting...",
  uncounted: "The people cannot be counted right now.",
  list: "List",
  audience: "Audience",
  without: "Left out",
  leftBy: (line, count) => `${line}: ${counted(count, "person", "people")}`,
  left: (count: number) => `${counted(count, "person", "people")} who want no campaigns not counted`,
  number: "Number",
  noNumber: "No default connection",
  waits: "It is not sending now: the campaign waits.",
  time: "Sending",
  message: "As the first person gets it",
  to: (name: string) => `To ${name}`,
  back: "Back",
  schedule: "Schedule",
  literal: "These pieces go out as they are written:",
  literalMore: (count: number) => `and ${counted(count, "other", "others")}`,
  sendLiteral: "Send it all the same",
  confirmLiteral: "Tick this to send it so, or go back and replace the pieces.",
  found: "Recado does not know these pieces: they go out as they are written.",
  replace: (by: string) => `Replace with ${by}`,
  replaceSaid: (found: string, by: string) => `Replace with ${by}: ${found}`,
  remove: "Delete",
  removeSaid: (found: string) => `Delete: ${found}`,
  byHand: "Write the value in its place, or delete it.",
};
