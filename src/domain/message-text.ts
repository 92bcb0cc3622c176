import { type AttachmentKind, takesCaption } from "./attachment.ts";
import { firstName } from "./first-name.ts";
import { greetingName } from "./greeting-name.ts";

/** WhatsApp's limits in code points: text message and caption. */
export const TEXT_MAX = 4096;
export const CAPTION_MAX = 1024;
export const CAMPAIGN_NAME_MAX = 120;
export const NAME_FALLBACK_MAX = 120;

export type TextError = "required" | "too_long" | "caption_too_long" | "no_caption" | "unreadable";

// Spaces and characters that draw nothing: zero-width ones, joiners, fillers, the empty Braille cell.
const NOTHING_TO_SEE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/gu;

/** They reverse the rest of a line, in a name also the screen's own text. */
export const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Stored and sent form: LF, NFC, otherwise as entered. */
export function normalizeText(typed: string): string {
  return typed.replace(/\r\n?/g, "\n").normalize("NFC");
}

/** Stored one-line form: NFC, single spaces, trimmed. */
export function normalizeLine(typed: string): string {
  return typed
    .normalize("NFC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

export function isBlank(text: string): boolean {
  return text.replace(NOTHING_TO_SEE, "") === "";
}

export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A lone surrogate is not valid UTF-8, and U+0000 cannot be stored. */
function isUnreadable(text: string): boolean {
  return !text.isWellFormed() || text.includes("\0");
}

/** Validates a normalized text; a caption is shorter, and a sound has none. */
export function textError(text: string, attachment: AttachmentKind | null): TextError | null {
  if (isUnreadable(text)) return "unreadable";
  if (attachment !== null && !takesCaption(attachment)) return isBlank(text) ? null : "no_caption";
  if (isBlank(text)) return "required";
  const length = codePoints(text);
  if (length > TEXT_MAX) return "too_long";
  return attachment !== null && length > CAPTION_MAX ? "caption_too_long" : null;
}

/** A draft may be empty, and longer than a caption. */
export function draftTextError(text: string): TextError | null {
  if (isUnreadable(text)) return "unreadable";
  return codePoints(text) > TEXT_MAX ? "too_long" : null;
}

export function lineError(line: string, max: number): TextError | null {
  if (isUnreadable(line)) return "unreadable";
  if (isBlank(line)) return "required";
  return codePoints(line) > max ? "too_long" : null;
}

/** Version 2 adds `{primeiro_nome}`. A started campaign keeps its version, or a resend would differ. */
export const TEXT_VERSION = 2;

// `{{nome}}` belongs to other template languages and stays.
const place = (names: string) => String.raw`(?<!\{)\{(${names})\}(?!\})`;
const inPlace = (names: string) =>
  new RegExp(String.raw`(,?[ \t]*)([*_~]{0,3})${place(names)}\2([,;:.!?…]*)([ \t]*)(\p{Ll}?)`, "giu");

const ONLY_NAME = "nome";
const BOTH_NAMES = "nome|primeiro_nome";
const PLACES = [ONLY_NAME, BOTH_NAMES].map((names) => ({
  any: new RegExp(place(names), "giu"),
  inPlace: inPlace(names),
}));
const placesOf = (version: number) => PLACES[version < TEXT_VERSION ? 0 : 1] as (typeof PLACES)[number];

const PLAIN_NAME = /^[!-~¡-¬®-ÿ]+(?: [!-~¡-¬®-ÿ]+)*$/;

export type FieldTexts = Readonly<Record<string, string>>;

const FIELD_PLACE = new RegExp(place("[a-z0-9_]{1,200}"), "giu");
// No text or name contains U+0000, so no value is read as a place.
const MARKED = /\0(\d+)\0/g;

export function keysIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(FIELD_PLACE), ([, key = ""]) => key.toLowerCase()));
}

type Apart = { text: string; version: number; pieces: string[] };

/** Cache: a campaign renders one text thousands of times a second. */
let apart: Apart = { text: "", version: TEXT_VERSION, pieces: [""] };

function takeApart(text: string, version: number): string[] {
  if (apart.text !== text || apart.version !== version)
    apart = { text, version, pieces: text.split(placesOf(version).any) };
  return apart.pieces;
}

export function usesName(text: string, version = TEXT_VERSION): boolean {
  return takeApart(text, version).length > 1;
}

function filled(pieces: readonly string[], whole: string, first: string): string {
  let said = pieces[0] ?? "";
  for (let at = 1; at < pieces.length; at += 2) {
    said += pieces[at]?.toLowerCase() === ONLY_NAME ? whole : first;
    said += pieces[at + 1];
  }
  return said;
}

/**
 * Without a name or `fallback` the gap closes: "Oi, {nome}! Tudo bem?" becomes "Oi! Tudo bem?". Pure: a
 * resend must be the same message.
 */
export function renderMessage(
  text: string,
  name: string,
  fallback: string,
  version = TEXT_VERSION,
  values: FieldTexts | null = null,
): string {
  if (values === null) return renderName(text, name, fallback, version);
  const texts = Object.entries(values);
  const places = new Map(texts.map(([key], at) => [key, at]));
  const marked = text.replace(FIELD_PLACE, (whole, key: string) => {
    const at = places.get(key.toLowerCase());
    return at === undefined ? whole : `\0${at}\0`;
  });
  const named = renderName(marked, name, fallback, version);
  return named.replace(MARKED, (_, at: string) => texts[Number(at)]?.[1] ?? "");
}

function renderName(text: string, name: string, fallback: string, version: number): string {
  const pieces = takeApart(text, version);
  const own = version < TEXT_VERSION ? name : greetingName(name);
  if (PLAIN_NAME.test(own)) return filled(pieces, own, firstName(own));
  const known = !isBlank(own);
  const called = normalizeLine(known ? own : fallback);
  if (!isBlank(called)) return filled(pieces, called, known ? firstName(called) : called);
  return text.replace(
    placesOf(version).inPlace,
    (
      match,
      before: string,
      _marks: string,
      _place: string,
      after: string,
      space: string,
      letter: string,
      at: number,
    ) => {
      const end = at + match.length;
      return closed({
        before,
        after,
        space,
        letter,
        first: at === 0 || text[at - 1] === "\n",
        last: end === text.length || text[end] === "\n",
      });
    },
  );
}

/** True if a contact without a name would get an invisible message. */
export function isNameAlone(text: string, fallback: string): boolean {
  return isBlank(renderMessage(text, "", fallback));
}

type Place = { before: string; after: string; space: string; letter: string; first: boolean; last: boolean };

function closed({ before, after, space, letter, first, last }: Place): string {
  if (first) return letter.toLocaleUpperCase("pt-BR");
  if (after !== "") return after + space + letter;
  if (last && letter === "") return "";
  const comma = before.startsWith(",") ? "," : "";
  return comma + (before.slice(comma.length) || space) + letter;
}
