import { type RawBuilder, sql } from "kysely";
import { TITLES } from "../../../domain/first-name.ts";
import { ADDRESS, DATE, LABELS, MAIL_BEHIND, WORDS } from "../../../domain/greeting-name.ts";

// Ranges, because the letters of PostgreSQL's classes depend on the locale.
const SIGNS = String.raw`\u0001-\u001F\u0021-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u02C2-\u02DF\u0300-\u036F\u2000-\u2BFF\u3001-\u3020\uE000-\uF8FF\uFE00-\uFE6F\uFF01-\uFF20\U0001F000-\U0001FAFF\U000E0000-\U000E01EF`;
const SIGN = `[${SIGNS}]`;
const SPACED = `[ ${SIGNS}]`;
const LETTER = `[^ ${SIGNS}]`;
const WORD = `[^ ]*${LETTER}[^ ]*`;

const bothCases = (letters: string) => letters.replace(/[à-ÿ]/g, (one) => one + one.toUpperCase());
const titles = [...TITLES].map((title) => title.replace(/[à-ÿ]/g, (one) => `[${bothCases(one)}]`)).join("|");

const NAMELESS = `^${SPACED}*(?:${bothCases(WORDS)})${SPACED}*$|${ADDRESS.source}|${DATE.source}`;
const NUMBER = String.raw`(${LETTER})${SPACED}+(?:(?:${LABELS})${SPACED}*)?(?:\*{3}[. ]?[0-9]{3}|[+(]?(?:[0-9][.\-/() ]*){10}).*$`;
const TITLE = String.raw`^(?:${SIGN}+ )*(?:${titles})\.? (?=.*${LETTER})`;
const FIRST = `^${SPACED}*$|^(?:${SIGN}+ )*${WORD}(?: ${SIGN}+)*(?: |$)`;
const END = `(?: ${SIGN}+)+$|[,;:]+$`;

/** SQL: what follows the first name of person `p` as `{primeiro_nome}` says it; null without. */
export function surnameOf(): RawBuilder<unknown> {
  const numberless = sql`case when p.name ~ '[0-9@]' then
    regexp_replace(regexp_replace(p.name, ${MAIL_BEHIND.source}, ''), ${NUMBER}, '\\1', 'i') else p.name end`;
  const untitled = sql`regexp_replace(${numberless}, ${TITLE}, '', 'i')`;
  return sql`case when position(' ' in p.name) > 0 and p.name !~* ${NAMELESS}
    then nullif(regexp_replace(regexp_replace(${untitled}, ${FIRST}, ''), ${END}, ''), '') end`;
}
