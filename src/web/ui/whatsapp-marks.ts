import { closesAt, opensAt, type Span, spansOf } from "./whatsapp-spans.ts";

export type Piece =
  | string
  | { mark: "bold" | "italic" | "strike"; inside: readonly Piece[] }
  | { mark: "mono" | "code"; text: string }
  | { link: string; text: string };

export type BlockKind = "text" | "quote" | "bullets" | "numbers";
export type Block = { kind: BlockKind; lines: readonly { label: string; pieces: readonly Piece[] }[] };

const MARKS = { "*": "bold", _: "italic", "~": "strike" } as const;
type Mark = keyof typeof MARKS;

const LINE_START = /(?:(> )|([-*] )|(\d{1,3}\. ))(?=\S)/y;

export function whatsappBlocks(text: string): Block[] {
  const inline = inlineOf(text);
  const blocks: { kind: BlockKind; lines: { label: string; pieces: Piece[] }[] }[] = [];
  for (const { from, to } of linesOf(text, inline.spans)) {
    const { kind, label, content } = startOf(text, from);
    const line = { label, pieces: inline.pieces(content, to) };
    const last = blocks.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else blocks.push({ kind, lines: [line] });
  }
  return blocks;
}

export const whatsappPieces = (text: string): Piece[] => inlineOf(text).pieces(0, text.length);

function startOf(text: string, from: number): { kind: BlockKind; label: string; content: number } {
  LINE_START.lastIndex = from;
  const [all = "", quote, bullet, number] = LINE_START.exec(text) ?? [];
  const content = from + all.length;
  if (quote !== undefined) return { kind: "quote", label: "", content };
  if (bullet !== undefined) return { kind: "bullets", label: "", content };
  return number === undefined
    ? { kind: "text", label: "", content }
    : { kind: "numbers", label: number, content };
}

function linesOf(text: string, spans: readonly Span[]): { from: number; to: number }[] {
  const lines: { from: number; to: number }[] = [];
  let from = 0;
  let next = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) {
    while ((spans[next]?.to ?? text.length) <= end) next += 1;
    const span = spans[next];
    if (span && span.from < end) continue;
    lines.push({ from, to: end });
    from = end + 1;
  }
  lines.push({ from, to: text.length });
  return lines;
}

/** `closedBy`: index of the closing mark; -1: none. */
type Sign = { at: number; sign: Mark; closedBy: number };

function inlineOf(text: string): { spans: Span[]; pieces(from: number, to: number): Piece[] } {
  const spans = spansOf(text);
  const signs = signsOf(text, spans);
  let spanAt = 0;
  let signAt = 0;

  function draw(from: number, to: number): Piece[] {
    const pieces: Piece[] = [];
    let plainFrom = from;
    const upTo = (end: number) => {
      if (end > plainFrom) pieces.push(text.slice(plainFrom, end));
    };
    for (;;) {
      while ((spans[spanAt]?.from ?? to) < plainFrom) spanAt += 1;
      while (isUnmarked(signs, signAt, plainFrom, to)) signAt += 1;
      const span = spans[spanAt];
      const sign = signs[signAt];
      const [spanFrom, signFrom] = [span?.from ?? text.length, sign?.at ?? text.length];
      if (Math.min(spanFrom, signFrom) >= to) break;
      if (span && spanFrom < signFrom) {
        upTo(span.from);
        pieces.push(drawn(span));
        plainFrom = span.to;
        continue;
      }
      if (!sign) break;
      const close = signs[sign.closedBy]?.at ?? to;
      upTo(sign.at);
      signAt += 1;
      pieces.push({ mark: MARKS[sign.sign], inside: draw(sign.at + 1, close) });
      plainFrom = close + 1;
    }
    upTo(to);
    return pieces;
  }
  return { spans, pieces: draw };
}

function isUnmarked(signs: readonly Sign[], index: number, from: number, to: number): boolean {
  const sign = signs[index];
  if (!sign || sign.at >= to) return false;
  const close = signs[sign.closedBy];
  return sign.at < from || close === undefined || close.at >= to;
}

const drawn = (span: Span): Piece =>
  span.kind === "link" ? { link: span.address, text: span.text } : { mark: span.kind, text: span.text };

function signsOf(text: string, spans: readonly Span[]): Sign[] {
  const found: { at: number; sign: string }[] = [];
  let next = 0;
  for (const { index: at, 0: sign } of text.matchAll(/[*_~\n]/g)) {
    while ((spans[next]?.to ?? text.length) <= at) next += 1;
    const span = spans[next];
    if (!(span && span.from <= at)) found.push({ at, sign });
  }
  const signs: Sign[] = [];
  const closing = new Map<string, number>();
  for (let index = found.length - 1; index >= 0; index--) {
    const { at, sign } = found[index] ?? { at: 0, sign: "\n" };
    if (sign === "\n") closing.clear();
    const closedBy = opensAt(text, at) ? (closing.get(sign) ?? -1) : -1;
    signs.push({ at, sign: sign as Mark, closedBy });
    if (closesAt(text, at)) closing.set(sign, index);
  }
  return signs.reverse();
}
