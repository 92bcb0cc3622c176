import { counted } from "../format.ts";
import type { templateChoiceText as portuguese } from "../template-choice.ts";
import type { Texts } from "../texts.ts";

export const templateChoiceText: Texts<typeof portuguese> = {
  list: "Message templates",
  found: (count) => counted(count, "template found", "templates found"),
  none: "No template found. Enter sends what is written.",
  failed: "The templates could not be loaded.",
  fillFailed: "The template could not be filled in.",
  hints: "↑ ↓ choose · Enter use · Esc close",
  missing: (marks) => `This person has no value for ${marks}. Replace or delete it before sending.`,
};
