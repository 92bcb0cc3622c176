import { Tooltip as Radix } from "radix-ui";
import { type ReactElement, useEffect, useState } from "react";

/** Words that appear on hover, on focus and on tap. The trigger must be focusable. */
export function Tooltip({ text, tap, children }: { text: string; tap?: boolean; children: ReactElement }) {
  const [open, setOpen] = useState(false);
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200}>
      <Radix.Root open={open} onOpenChange={setOpen}>
        <Radix.Trigger
          asChild
          // The library closes it on a press; where the words are the purpose, a tap must show them.
          onPointerDown={(event) => tap && event.preventDefault()}
          onClick={(event) => {
            if (!tap) return;
            event.preventDefault();
            setOpen(true);
          }}
        >
          {children}
        </Radix.Trigger>
        <Radix.Portal>
          <Radix.Content className="tooltip" sideOffset={6} collisionPadding={12}>
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

/** A text cut at `most` characters; the whole of it on hover, focus and tap. */
export function CutText({ text, most, label }: { text: string; most: number; label?: string }) {
  const characters = [...text];
  if (characters.length <= most) return <span>{text}</span>;
  return (
    <Tooltip text={text} tap>
      <button type="button" className="cut-text" aria-label={label}>
        {characters.slice(0, most).join("").trimEnd()}…
      </button>
    </Tooltip>
  );
}

/** A line of as much as there is room for, or as many as a screen's styles give it; where that is not all, the whole on hover, focus and tap. */
export function CutLine({ text }: { text: string }) {
  const [line, setLine] = useState<HTMLElement | null>(null);
  const [cut, setCut] = useState(false);
  // Each time it is drawn: other words are of another length, and the room stays.
  useEffect(() => {
    if (!line) return;
    const observer = new ResizeObserver(() => {
      // Letters may reach a little beyond their line; a further line is more than that.
      const lines = line.scrollHeight > line.clientHeight + 9;
      setCut(lines || line.scrollWidth > line.clientWidth);
    });
    observer.observe(line);
    return () => observer.disconnect();
  });
  if (!cut)
    return (
      <span ref={setLine} className="clip cut-line">
        {text}
      </span>
    );
  return (
    <Tooltip text={text} tap>
      <button ref={setLine} type="button" className="clip cut-line cut-text">
        {text}
      </button>
    </Tooltip>
  );
}
