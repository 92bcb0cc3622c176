/** A piece of a message as WhatsApp draws it: plain, or marked and holding further pieces. */
export type Piece = string | { mark: "bold" | "italic" | "strike" | "mono"; inside: readonly Piece[] };

const MARKS = { "*": "bold", _: "italic", "~": "strike" } as const;

/**
 * A mark opens after no letter or digit and before no space, and closes the other way round, within one line:
 * https://faq.whatsapp.com/539178204879377. Three backquotes hold anything, also lines.
 */
const OPENING = /```|(?<![\p{L}\p{N}])[*_~](?=\S)/gu;
const CLOSING = /(?<=\S)[*_~](?![\p{L}\p{N}])|\n/gu;

/**
 * Splits a message into what is drawn plain, bold, italic, struck through or in equal widths. Each sign is looked at once: a stranger may
 * send 65,536 of them, which neither a search to the end for each nor a call within a call for each would bear.
 */
export function whatsappPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  const opening = new RegExp(OPENING);
  const nextClosing = closingIn(text);
  let plainFrom = 0;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const at = match.index;
    const sign = match[0];
    const from = at + sign.length;
    const mono = sign === "```";
    const end = mono ? text.indexOf(sign, from + 1) : nextClosing(sign, from + 1);
    opening.lastIndex = at + 1;
    if (mono ? end < 0 : end >= nextClosing("\n", from)) continue;
    const inside = text.slice(from, end);
    if (at > plainFrom) pieces.push(text.slice(plainFrom, at));
    pieces.push(
      mono
        ? { mark: "mono", inside: [inside] }
        : { mark: MARKS[sign as keyof typeof MARKS], inside: whatsappPieces(inside) },
    );
    plainFrom = end + sign.length;
    opening.lastIndex = plainFrom;
  }
  if (plainFrom < text.length) pieces.push(text.slice(plainFrom));
  return pieces;
}

/** Where a sign closes next, or a line ends: from a place on that only ever moves forward; infinite: nowhere. */
function closingIn(text: string): (sign: string, from: number) => number {
  const places = Map.groupBy(text.matchAll(CLOSING), ([sign]) => sign);
  for (const found of places.values()) found.reverse();
  return (sign, from) => {
    const left = places.get(sign);
    while (left?.length && (left.at(-1)?.index ?? 0) < from) left.pop();
    return left?.at(-1)?.index ?? Number.POSITIVE_INFINITY;
  };
}
