import {
  CAMPAIGN_NAME_MAX,
  CAPTION_MAX,
  draftTextError,
  isNameAlone,
  lineError,
  NAME_FALLBACK_MAX,
  normalizeLine,
  normalizeText,
  TEXT_MAX,
  type TextError,
  textError,
} from "../domain/message-text.ts";
import type { FieldError } from "./error-messages.ts";

/** A text's fault as its field is told of it; `max` is what it may have at the most, in code points. */
export function textFieldError(fault: TextError | null, max: number): FieldError | null {
  if (fault === "too_long") return { code: "too_long", n: max };
  if (fault === "caption_too_long") return { code: "campaign_caption_too_long", n: CAPTION_MAX };
  return fault === "unreadable" ? "invalid_text" : fault;
}

/** What is wrong with a campaign's name as typed; null when nothing is. */
export const campaignNameError = (typed: string): FieldError | null =>
  textFieldError(lineError(normalizeLine(typed), CAMPAIGN_NAME_MAX), CAMPAIGN_NAME_MAX);

type TypedMessage = { text: string; nameFallback: string; hasImage: boolean };

/** The same of its message. A draft's may be unfinished. */
export function messageErrors(
  { text, nameFallback, hasImage }: TypedMessage,
  intent: "draft" | "create",
): { text: FieldError | null; nameFallback: FieldError | null } {
  const kept = normalizeText(text);
  const fallback = normalizeLine(nameFallback);
  const fault = intent === "create" ? textError(kept, hasImage) : draftTextError(kept);
  const empty = intent === "create" && !hasImage && fault === null && isNameAlone(kept, fallback);
  return {
    text: fault === "required" || empty ? "campaign_text_required" : textFieldError(fault, TEXT_MAX),
    nameFallback:
      fallback === "" ? null : textFieldError(lineError(fallback, NAME_FALLBACK_MAX), NAME_FALLBACK_MAX),
  };
}
