import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from "react";
import { shellText } from "../messages/shell.ts";

/** Fetched when it is first opened: no screen needs it to be drawn. */
const Palette = lazy(async () => ({ default: (await import("../palette/palette.tsx")).Palette }));

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
/** As keyboards have it printed on them. */
export const PALETTE_KEYS = MAC ? "⌘ K" : "Ctrl K";

/** What had the focus when it was opened. */
type Opened = { by: Element | null };

/** The palette, opened by `open` and by Ctrl+K (Cmd+K on a Mac, where Ctrl+K belongs to text fields). */
export function usePalette(): { palette: ReactNode; open: () => void } {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [early, setEarly] = useState("");
  const open = useCallback(() => {
    setEarly("");
    setOpened({ by: document.activeElement });
  }, []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey) return;
      if (!(MAC ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault();
      // A window that asks for something is answered first.
      if (opened) setOpened(null);
      else if (!document.querySelector("[role=dialog], [role=alertdialog]")) open();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [opened, open]);
  // What is typed before it is there would go to the screen below, or be lost.
  const waiting = (
    <search className="sr-only">
      <input
        aria-label={shellText.search}
        value={early}
        ref={(input) => input?.focus()}
        onChange={(event) => setEarly(event.target.value)}
      />
    </search>
  );
  const palette = opened && (
    <Suspense fallback={waiting}>
      <Palette opener={opened.by} early={early} onClose={() => setOpened(null)} />
    </Suspense>
  );
  return { palette, open };
}
