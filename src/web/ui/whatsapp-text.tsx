import bubbleStyles from "./bubble.module.css";
import { type Block, type Piece, whatsappBlocks, whatsappPieces } from "./whatsapp-marks.ts";

export function WhatsappText({ text }: { text: string }) {
  return withPlaces(whatsappBlocks(text)).map(({ one, place, last }) => (
    <BlockOf key={place} block={one} last={last} />
  ));
}

export function WhatsappExcerpt({ text }: { text: string }) {
  return <Pieces of={whatsappPieces(text)} pressable={false} />;
}

function BlockOf({ block: { kind, lines }, last }: { block: Block; last: boolean }) {
  const drawn = withPlaces(lines);
  if (kind === "bullets" || kind === "numbers") {
    const List = kind === "bullets" ? "ul" : "ol";
    return (
      <List className={bubbleStyles.waList}>
        {drawn.map(({ one: { label, pieces }, place }) => (
          <li key={place}>
            {label}
            <Pieces of={pieces} pressable />
          </li>
        ))}
      </List>
    );
  }
  const Tag = kind === "quote" ? "blockquote" : "div";
  return (
    <Tag>
      {drawn.map(({ one: { pieces }, place, last: end }) => (
        <span key={place}>
          <Pieces of={pieces} pressable />
          {/* The newline of an empty line before a block is not drawn. */}
          {end ? !last && pieces.length === 0 && "\n" : "\n"}
        </span>
      ))}
    </Tag>
  );
}

const TAGS = { bold: "strong", italic: "em", strike: "s" } as const;

function Pieces({ of: pieces, pressable }: { of: readonly Piece[]; pressable: boolean }) {
  return withPlaces(pieces).map(({ one: piece, place }) => {
    if (typeof piece === "string") return piece;
    if ("link" in piece)
      return pressable ? (
        <a
          key={place}
          href={piece.link}
          target={piece.link.startsWith("mailto:") ? undefined : "_blank"}
          rel="noopener noreferrer"
        >
          {piece.text}
        </a>
      ) : (
        piece.text
      );
    if ("text" in piece)
      return (
        <code key={place} className={piece.mark === "code" ? bubbleStyles.waCode : undefined}>
          {piece.text}
        </code>
      );
    const Tag = TAGS[piece.mark];
    return (
      <Tag key={place}>
        <Pieces of={piece.inside} pressable={pressable} />
      </Tag>
    );
  });
}

const withPlaces = <T,>(all: readonly T[]) =>
  all.map((one, place) => ({ one, place, last: place === all.length - 1 }));
