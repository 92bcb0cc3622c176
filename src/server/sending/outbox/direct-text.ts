import { CAPTION_MAX, isBlank, normalizeText, TEXT_MAX, textError } from "../../../domain/message-text.ts";
import { fieldError } from "../../http/errors.ts";

/** Text as sent, empty for a picture without caption. Throws `invalid_fields` at `field`. */
export function directText(field: string, typed: string, hasImage: boolean): string {
  const text = normalizeText(typed);
  if (hasImage && isBlank(text)) return "";
  const fault = textError(text, hasImage);
  if (fault === null) return text;
  if (fault === "required") throw fieldError({ [field]: "campaign_text_required" });
  if (fault === "unreadable") throw fieldError({ [field]: "invalid_text" });
  throw fieldError({
    [field]: hasImage
      ? { code: "campaign_caption_too_long", n: CAPTION_MAX }
      : { code: "too_long", n: TEXT_MAX },
  });
}
