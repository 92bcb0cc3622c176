import type { AttachmentKind } from "./attachment.ts";
import { greetingName } from "./greeting-name.ts";
import {
  type FieldTexts,
  isBlank,
  keysIn,
  renderMessage,
  TEXT_VERSION,
  type TextError,
  textError,
} from "./message-text.ts";
import { markOf } from "./variables.ts";

export const TEMPLATE_NAME_MAX = 60;
export const TEMPLATES_PAGE = 100;

const NAME_KEYS: readonly string[] = ["nome", "primeiro_nome"];

/** A file needs no text. */
export const templateTextError = (text: string, attachment: AttachmentKind | null): TextError | null =>
  attachment !== null && isBlank(text) ? null : textError(text, attachment);

/** `missing`: keys of marks that stay in the text. */
export function fillMessage(
  text: string,
  name: string,
  values: FieldTexts,
): { text: string; missing: string[] } {
  const unknown = isBlank(greetingName(name)) ? NAME_KEYS : [];
  const kept = Object.fromEntries(unknown.map((key) => [key, markOf(key)]));
  const known = new Set([...Object.keys(values), ...NAME_KEYS.filter((key) => !unknown.includes(key))]);
  return {
    text: renderMessage(text, name, "", TEXT_VERSION, { ...values, ...kept }),
    missing: [...keysIn(text)].filter((key) => !known.has(key)),
  };
}
