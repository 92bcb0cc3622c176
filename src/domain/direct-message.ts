import { AppError } from "./errors.ts";
import { CAPTION_MAX, isBlank, normalizeText, TEXT_MAX, textError } from "./message-text.ts";

/** Text as sent, empty for a picture without caption. Throws `invalid_fields` at `field`. */
export function directText(field: string, typed: string, hasImage: boolean): string {
  const text = normalizeText(typed);
  if (hasImage && isBlank(text)) return "";
  const error = textError(text, hasImage);
  if (error === null) return text;
  throw new AppError("invalid_fields", { fields: { [field]: fieldError(error, hasImage) } });
}

function fieldError(error: NonNullable<ReturnType<typeof textError>>, hasImage: boolean) {
  if (error === "required") return "campaign_text_required";
  if (error === "unreadable") return "invalid_text";
  return hasImage ? { code: "campaign_caption_too_long", n: CAPTION_MAX } : { code: "too_long", n: TEXT_MAX };
}

/**
 * Our keys start with their kind (`agent:7`, `chat_retry:7`, `test:…`, `opt_out:…`): a caller's equal key
 * would block ours, so only such keys are changed.
 */
export const callersKey = (key: string): string =>
  /^(agent|chat_retry|test|opt_out|caller):/.test(key) ? `caller:${key}` : key;
