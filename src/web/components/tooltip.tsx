import { Tooltip as Radix } from "radix-ui";
import { type ReactElement, useState } from "react";

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
