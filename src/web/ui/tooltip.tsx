import * as Radix from "@radix-ui/react-tooltip";
import { clsx } from "clsx";
import { type ReactElement, useEffect, useState } from "react";
import textStyles from "./text.module.css";
import styles from "./tooltip.module.css";

/** The trigger must be focusable. */
export function Tooltip({ text, tap, children }: { text: string; tap?: boolean; children: ReactElement }) {
  const [open, setOpen] = useState(false);
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200}>
      <Radix.Root open={open} onOpenChange={setOpen}>
        <Radix.Trigger
          asChild
          // Radix closes on press; with `tap` a tap must show it.
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
          <Radix.Content className={styles.tooltip} sideOffset={6} collisionPadding={12}>
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

export function CutText({ text, most, label }: { text: string; most: number; label?: string }) {
  const characters = [...text];
  if (characters.length <= most) return <span>{text}</span>;
  return (
    <Tooltip text={text} tap>
      <button type="button" className={styles.cutText} data-ui="cut-text" aria-label={label}>
        {characters.slice(0, most).join("").trimEnd()}…
      </button>
    </Tooltip>
  );
}

export function CutLine({ text }: { text: string }) {
  const [line, setLine] = useState<HTMLElement | null>(null);
  const [cut, setCut] = useState(false);
  // After each render: another text has another length in the same box, so no resize fires.
  useEffect(() => {
    if (!line) return;
    const observer = new ResizeObserver(() => {
      // Glyphs may overflow a line slightly; more than 9 px is another line.
      const lines = line.scrollHeight > line.clientHeight + 9;
      setCut(lines || line.scrollWidth > line.clientWidth);
    });
    observer.observe(line);
    return () => observer.disconnect();
  });
  if (!cut)
    return (
      <span ref={setLine} className={clsx(textStyles.clip, styles.cutLine)} data-ui="clip cut-line">
        {text}
      </span>
    );
  return (
    <Tooltip text={text} tap>
      <button
        ref={setLine}
        type="button"
        className={clsx(textStyles.clip, styles.cutLine, styles.cutText)}
        data-ui="clip cut-line cut-text"
      >
        {text}
      </button>
    </Tooltip>
  );
}
