import { type Piece, whatsappPieces } from "./whatsapp-marks.ts";

/** A message as WhatsApp draws it: bold, italic, struck through, in equal widths. */
export function WhatsappText({ text }: { text: string }) {
  return <Pieces of={whatsappPieces(text)} />;
}

const TAGS = { bold: "strong", italic: "em", strike: "s", mono: "code" } as const;

function Pieces({ of: pieces }: { of: readonly Piece[] }) {
  let at = 0;
  return pieces.map((piece) => {
    // Pieces follow one another in the text: where one starts is its name.
    const key = at;
    at += 1;
    if (typeof piece === "string") return piece;
    const Tag = TAGS[piece.mark];
    return (
      <Tag key={key}>
        <Pieces of={piece.inside} />
      </Tag>
    );
  });
}
