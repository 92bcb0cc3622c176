export type SingleByte = "windows-1252" | "iso-8859-15" | "macintosh" | "cp850";

/** Bytes 80 to FF of DOS in Western Europe and Brazil, which TextDecoder lacks. */
const CP850 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";

export type Decoder = { decode(bytes?: Uint8Array, options?: { stream?: boolean }): string };

export function decoderOf(encoding: string): Decoder {
  return encoding === "cp850" ? { decode: (bytes) => decodeCp850(bytes) } : new TextDecoder(encoding);
}

function decodeCp850(bytes: Uint8Array = new Uint8Array()): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    const codes = Array.from(bytes.subarray(at, at + PIECE), (byte) =>
      byte < 0x80 ? byte : CP850.charCodeAt(byte - 0x80),
    );
    text += String.fromCharCode(...codes);
  }
  return text;
}

const PIECE = 8_192;

const WORDS = 2_000;
const LONGEST_WORD = 40;

const isLetterByte = (byte: number) =>
  byte >= 0x80 || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

export class AccentedWords {
  readonly #words: Uint8Array[] = [];

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#words.length < WORDS; at++) {
      if ((chunk[at] as number) < 0x80) continue;
      let from = at;
      while (from > 0 && at - from < LONGEST_WORD && isLetterByte(chunk[from - 1] as number)) from--;
      let to = at + 1;
      while (to < chunk.length && to - at < LONGEST_WORD && isLetterByte(chunk[to] as number)) to++;
      this.#words.push(Uint8Array.from(chunk.subarray(from, to)));
      at = to;
    }
  }

  /** Null when none of them makes words of Western names. */
  encoding(): SingleByte | null {
    const candidates = (["windows-1252", "iso-8859-15", "macintosh", "cp850"] as const).map((encoding) => ({
      encoding,
      score: this.#score(encoding),
    }));
    const best = candidates.reduce((a, b) => (b.score > a.score ? b : a));
    return best.score < 0 ? null : best.encoding;
  }

  #score(encoding: SingleByte): number {
    const decoder = decoderOf(encoding);
    return this.#words.reduce((sum, word) => sum + likeness(decoder.decode(word)), 0);
  }
}

const PORTUGUESE = "áàâãéêíóôõúüçÁÀÂÃÉÊÍÓÔÕÚÜÇ";
const LOWER = "áàâãäéèêëíìîïóòôõöúùûüçñåæøßýÿœšž";
const UPPER = "ÁÀÂÃÄÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑÅÆØÝŸŒŠŽ";
const SIGNS = "ªº°´’‘“”–—·\u00a0";
const NO_FIRST = "çåæïîêòìèàùûëœß";

/** 2 for a word of Portuguese, 1 for another Western one, 0 where nothing can be said, negative for none. */
function likeness(word: string): number {
  let good = 0;
  for (const [at, sign] of [...word].entries()) {
    if (sign < "\u0080" || SIGNS.includes(sign)) continue;
    const before = word[at - 1] ?? "";
    const after = word[at + 1] ?? "";
    if (!isInPlace(sign, before, after)) return -1;
    const points = PORTUGUESE.includes(sign) ? 2 : 1;
    good = Math.max(good, isDoubtful(sign, before, after) ? 0 : points);
  }
  // No Western name has three accents in a row; Cyrillic and Greek read as Latin letters have.
  return /[\u00c0-\u024f]{3}/.test(word) ? -1 : good;
}

function isInPlace(sign: string, before: string, after: string): boolean {
  if (/[çÇ]/.test(sign) && !/[aeouAEOUãõáóéúâôÃÕÁÓÉÚÂÔ]/.test(after)) return false;
  if (LOWER.includes(sign)) return !/[A-Z]/.test(after) && !(before === "" && NO_FIRST.includes(sign));
  return UPPER.includes(sign) && !/[a-z]/.test(before);
}

/** DOS's «JOÃO» is Windows' «JOÇO»; only «LOURENÇO», «AÇO» and the like end so. */
function isDoubtful(sign: string, before: string, after: string): boolean {
  return sign === "Ç" && after === "O" && !/[NAR]/.test(before);
}
