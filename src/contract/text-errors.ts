import type { AttachmentKind } from "../domain/attachment.ts";
import { withLeaveHint } from "../domain/leave-hint.ts";
import {
  CAMPAIGN_NAME_MAX,
  CAPTION_MAX,
  draftTextError,
  isBlank,
  isNameAlone,
  lineError,
  NAME_FALLBACK_MAX,
  normalizeLine,
  normalizeText,
  TEXT_MAX,
  type TextError,
  textError,
} from "../domain/message-text.ts";
import { CONFIRMATION_MAX } from "../domain/opt-out.ts";
import type { FieldError } from "./error-messages.ts";

/** Converts a text error into a field error; `max` in code points. */
export function textFieldError(error: TextError | null, max: number): FieldError | null {
  if (error === "too_long") return { code: "too_long", n: max };
  if (error === "caption_too_long") return { code: "campaign_caption_too_long", n: CAPTION_MAX };
  if (error === "no_caption") return "attachment_takes_no_text";
  return error === "unreadable" ? "invalid_text" : error;
}

/** Blank: the product's words. */
export function confirmationError(typed: string): FieldError | null {
  const text = normalizeText(typed);
  if (isBlank(text)) return null;
  const error = textFieldError(lineError(text, CONFIRMATION_MAX), CONFIRMATION_MAX);
  return error ?? (isNameAlone(text, "") ? "campaign_text_required" : null);
}

export const campaignNameError = (typed: string): FieldError | null =>
  textFieldError(lineError(normalizeLine(typed), CAMPAIGN_NAME_MAX), CAMPAIGN_NAME_MAX);

type TypedMessage = {
  text: string;
  nameFallback: string;
  leaveHint: boolean;
  attachment: AttachmentKind | null;
};

export function messageErrors(
  { text, nameFallback, leaveHint, attachment }: TypedMessage,
  intent: "draft" | "create",
): { text: FieldError | null; nameFallback: FieldError | null } {
  const kept = normalizeText(text);
  const fallback = normalizeLine(nameFallback);
  const said = isBlank(kept) ? kept : withLeaveHint(kept, leaveHint);
  const error = intent === "create" ? textError(said, attachment) : draftTextError(said);
  const empty = intent === "create" && attachment === null && error === null && isNameAlone(kept, fallback);
  return {
    text: error === "required" || empty ? "campaign_text_required" : textFieldError(error, TEXT_MAX),
    nameFallback:
      fallback === "" ? null : textFieldError(lineError(fallback, NAME_FALLBACK_MAX), NAME_FALLBACK_MAX),
  };
}
