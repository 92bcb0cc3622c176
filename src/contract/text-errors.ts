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

/** Converts a text error into a field error; `max` in code points. */
export function textFieldError(error: TextError | null, max: number): FieldError | null {
  if (error === "too_long") return { code: "too_long", n: max };
  if (error === "caption_too_long") return { code: "campaign_caption_too_long", n: CAPTION_MAX };
  return error === "unreadable" ? "invalid_text" : error;
}

export const campaignNameError = (typed: string): FieldError | null =>
  textFieldError(lineError(normalizeLine(typed), CAMPAIGN_NAME_MAX), CAMPAIGN_NAME_MAX);

type TypedMessage = { text: string; nameFallback: string; hasImage: boolean };

export function messageErrors(
  { text, nameFallback, hasImage }: TypedMessage,
  intent: "draft" | "create",
): { text: FieldError | null; nameFallback: FieldError | null } {
  const kept = normalizeText(text);
  const fallback = normalizeLine(nameFallback);
  const error = intent === "create" ? textError(kept, hasImage) : draftTextError(kept);
  const empty = intent === "create" && !hasImage && error === null && isNameAlone(kept, fallback);
  return {
    text: error === "required" || empty ? "campaign_text_required" : textFieldError(error, TEXT_MAX),
    nameFallback:
      fallback === "" ? null : textFieldError(lineError(fallback, NAME_FALLBACK_MAX), NAME_FALLBACK_MAX),
  };
}
