/** A piece of a message as WhatsApp draws it: plain, or marked and holding further pieces. */
export type Piece = string | { mark: "bold" | "italic" | "strike" | "mono"; inside: readonly Piece[] };

const MARKS = { "*": "bold", _: "italic", "~": "strike" } as const;

/**
 * A mark opens after no letter or digit and before no space, and closes the other way round, within one line:
 * https://faq.whatsapp.com/539178204879377. Three backquotes hold anything, also lines.
 */
const MARKED =
  /```(?<mono>[\s\S]+?)```|(?<![\p{L}\p{N}])(?<sign>[*_~])(?=\S)(?<inside>[^\n]*?\S)\k<sign>(?![\p{L}\p{N}])/u;

/** Splits a message into what is drawn plain, bold, italic, struck through or in equal widths. */
export function whatsappPieces(text: string): Piece[] {
  const match = MARKED.exec(text);
  if (!match) return text === "" ? [] : [text];
  const { mono, sign, inside = "" } = match.groups ?? {};
  const piece: Piece =
    mono === undefined
      ? { mark: MARKS[sign as keyof typeof MARKS], inside: whatsappPieces(inside) }
      : { mark: "mono", inside: [mono] };
  const before = text.slice(0, match.index);
  const after = text.slice(match.index + match[0].length);
  return [...(before === "" ? [] : [before]), piece, ...whatsappPieces(after)];
}
