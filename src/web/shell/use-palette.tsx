import { lazy, type ReactNode, Suspense, useCallback, useLayoutEffect, useState } from "react";
import { shellText } from "../messages/shell.ts";
import layoutStyles from "../ui/layout.module.css";

const Palette = lazy(async () => ({ default: (await import("../palette/palette.tsx")).Palette }));

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
export const PALETTE_KEYS = MAC ? "⌘ K" : "Ctrl K";

type Opened = { by: Element | null };

export function usePalette(): { palette: ReactNode; open: () => void } {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [early, setEarly] = useState("");
  const open = useCallback(() => {
    setEarly("");
    setOpened({ by: document.activeElement });
  }, []);
  // With the first picture of the screen: an earlier press would be lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey) return;
      if (!(MAC ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault();
      // Not above an open dialog.
      if (opened) setOpened(null);
      else if (!document.querySelector("[role=dialog], [role=alertdialog]")) open();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [opened, open]);
  // Collects keys typed while it loads; else they reach the screen below.
  const waiting = (
    <search className={layoutStyles.srOnly}>
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
