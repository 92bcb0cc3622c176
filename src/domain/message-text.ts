import { firstName } from "./first-name.ts";
import { greetingName } from "./greeting-name.ts";

/** WhatsApp's limits, in code points: a text message, and the caption of an image. */
export const TEXT_MAX = 4096;
export const CAPTION_MAX = 1024;
/** Longest campaign name and longest replacement for a missing contact name, in code points. */
export const CAMPAIGN_NAME_MAX = 120;
export const NAME_FALLBACK_MAX = 120;

/** Why a text cannot be sent or a name not be kept. */
export type TextError = "required" | "too_long" | "caption_too_long" | "unreadable";

// Spaces, and characters that draw nothing: zero-width ones, joiners, fillers, the empty Braille cell.
const NOTHING_TO_SEE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/gu;

/** Marks that turn the rest of a line around: in a name they would turn the screen's own words. */
export const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The form in which a text is kept and sent: line ends LF, composed letters (NFC). What a person typed stays as it is otherwise. */
export function normalizeText(typed: string): string {
  return typed.replace(/\r\n?/g, "\n").normalize("NFC");
}

/** The form in which a one-line name is kept: NFC, spaces and line ends as single spaces, trimmed. */
export function normalizeLine(typed: string): string {
  return typed
    .normalize("NFC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** True when nothing of a text can be seen: only spaces or zero-width characters. */
export function isBlank(text: string): boolean {
  return text.replace(NOTHING_TO_SEE, "") === "";
}

/** Length as people count it, in code points (an emoji of one code point is one). */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Half a character (a lone surrogate) cannot travel as UTF-8, and U+0000 cannot be stored. */
function isUnreadable(text: string): boolean {
  return !text.isWellFormed() || text.includes("\0");
}

/** Why a normalized message text cannot be sent; null when it can. An image takes it as its caption, which is shorter. */
export function textError(text: string, hasImage: boolean): TextError | null {
  if (isUnreadable(text)) return "unreadable";
  if (isBlank(text)) return "required";
  const length = codePoints(text);
  if (length > TEXT_MAX) return "too_long";
  return hasImage && length > CAPTION_MAX ? "caption_too_long" : null;
}

/** Why a draft's text cannot be kept; null when it can. It may be empty, and longer than a caption. */
export function draftTextError(text: string): TextError | null {
  if (isUnreadable(text)) return "unreadable";
  return codePoints(text) > TEXT_MAX ? "too_long" : null;
}

/** Why a normalized one-line text is no name; null when it is. `max` in code points. */
export function lineError(line: string, max: number): TextError | null {
  if (isUnreadable(line)) return "unreadable";
  if (isBlank(line)) return "required";
  return codePoints(line) > max ? "too_long" : null;
}

/**
 * How a campaign's text is filled: since version 2 `{primeiro_nome}` is a place beside `{nome}`, and stand-ins for a name are not greeted. A started campaign keeps the version it was
 * started with, or a resend would be another message.
 */
export const TEXT_VERSION = 2;

// `{{nome}}` belongs to other people's template languages and stays as it is.
const place = (names: string) => String.raw`(?<!\{)\{(${names})\}(?!\})`;
/** With what goes together with a name: comma and space before it, `*bold*` marks around it, punctuation, space and letter after it. */
const inPlace = (names: string) =>
  new RegExp(String.raw`(,?[ \t]*)([*_~]{0,3})${place(names)}\2([,;:.!?…]*)([ \t]*)(\p{Ll}?)`, "giu");

const ONLY_NAME = "nome";
const BOTH_NAMES = "nome|primeiro_nome";
const PLACES = [ONLY_NAME, BOTH_NAMES].map((names) => ({
  any: new RegExp(place(names), "giu"),
  inPlace: inPlace(names),
}));
const placesOf = (version: number) => PLACES[version < TEXT_VERSION ? 0 : 1] as (typeof PLACES)[number];

/** A name that is in its form already, as nearly all are: composed Latin letters and what is seen beside them, single spaces inside. */
const PLAIN_NAME = /^[!-~¡-¬®-ÿ]+(?: [!-~¡-¬®-ÿ]+)*$/;

/** Texts around the places, with the name of each place between them. */
type Apart = { text: string; version: number; pieces: string[] };

/** The text that was last taken apart: a campaign says the same one to everybody, thousands of times a second. */
let apart: Apart = { text: "", version: TEXT_VERSION, pieces: [""] };

function takeApart(text: string, version: number): string[] {
  if (apart.text !== text || apart.version !== version)
    apart = { text, version, pieces: text.split(placesOf(version).any) };
  return apart.pieces;
}

/** True when the text has a place for the contact's name, or for the first name. */
export function usesName(text: string, version = TEXT_VERSION): boolean {
  return takeApart(text, version).length > 1;
}

/** The text with its places filled: `whole` for `{nome}`, `first` for `{primeiro_nome}`. */
function filled(pieces: readonly string[], whole: string, first: string): string {
  let said = pieces[0] ?? "";
  for (let at = 1; at < pieces.length; at += 2) {
    said += pieces[at]?.toLowerCase() === ONLY_NAME ? whole : first;
    said += pieces[at + 1];
  }
  return said;
}

/**
 * What one person gets: `{nome}` replaced by the contact's name as it may be greeted and `{primeiro_nome}` by its first word, both by
 * `fallback` where there is none. With neither, the place is closed so that no hole is seen: "Oi, {nome}! Tudo bem?" becomes "Oi! Tudo
 * bem?", and "{nome}, seus óculos" becomes "Seus óculos". A pure function of its arguments: a resend must be the same message.
 */
export function renderMessage(text: string, name: string, fallback: string, version = TEXT_VERSION): string {
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

/** True where whoever has no name would get a message of which nothing can be seen. */
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
