import type { AttachmentKind } from "./attachment.ts";
import { AppError } from "./errors.ts";
import { CAPTION_MAX, isBlank, normalizeText, TEXT_MAX, textError } from "./message-text.ts";

/** Text as sent, empty for a file without caption. Throws `invalid_fields` at `field`. */
export function directText(field: string, typed: string, attachment: AttachmentKind | null): string {
  const text = normalizeText(typed);
  if (attachment !== null && isBlank(text)) return "";
  const error = textError(text, attachment);
  if (error === null) return text;
  throw new AppError("invalid_fields", { fields: { [field]: fieldError(error) } });
}

function fieldError(error: NonNullable<ReturnType<typeof textError>>) {
  if (error === "required") return "campaign_text_required";
  if (error === "unreadable") return "invalid_text";
  if (error === "no_caption") return "attachment_takes_no_text";
  if (error === "caption_too_long") return { code: "campaign_caption_too_long", n: CAPTION_MAX };
  return { code: "too_long", n: TEXT_MAX };
}

/**
 * Our keys start with their kind (`agent:7`, `chat_retry:7`, `test:…`, `opt_out:…`): a caller's equal key
 * would block ours, so only such keys are changed.
 */
export const callersKey = (key: string): string =>
  /^(agent|chat_retry|test|opt_out|caller):/.test(key) ? `caller:${key}` : key;
