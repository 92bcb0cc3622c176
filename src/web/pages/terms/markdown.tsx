import type { ReactNode } from "react";

/** A Markdown subset: headings, paragraphs, lists, bold. Anything else stays plain text, never HTML. */
export function Markdown({ text }: { text: string }) {
  const blocks = text
    .replaceAll("\r\n", "\n")
    .trim()
    .split(/\n{2,}/);
  const shown = /^# /.test(blocks[0] ?? "") ? blocks.slice(1) : blocks;
  return shown.map((block) => <Block key={block} text={block} />);
}

function Block({ text }: { text: string }) {
  const heading = /^#{1,6}\s+(.*)/.exec(text);
  if (heading) {
    const rest = text.slice(heading[0].length).trim();
    return (
      <>
        <h2>{inline(heading[1] ?? "")}</h2>
        {rest && <Block text={rest} />}
      </>
    );
  }
  const lines = text.split("\n");
  if (lines.every((line) => /^\s*[-*]\s/.test(line))) return <ul>{items(lines, /^\s*[-*]\s+/)}</ul>;
  if (lines.every((line) => /^\s*\d+[.)]\s/.test(line))) return <ol>{items(lines, /^\s*\d+[.)]\s+/)}</ol>;
  return <p>{inline(lines.join(" "))}</p>;
}

const items = (lines: string[], mark: RegExp) =>
  lines.map((line) => <li key={line}>{inline(line.replace(mark, ""))}</li>);

function inline(text: string): ReactNode[] {
  return text
    .split(/(\*\*.+?\*\*)/)
    .map((part) => (part.startsWith("**") ? <strong key={part}>{part.slice(2, -2)}</strong> : part));
}
