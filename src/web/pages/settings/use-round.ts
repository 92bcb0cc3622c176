import { useCallback, useEffect, useRef, useState } from "react";

/**
 * Resets a form after save or cancel (`key={round}`), validation included, and restores focus to its button.
 */
export function useRound() {
  const [round, setRound] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (round > 0 && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>("[type=submit]")?.focus({ preventScroll: true });
  }, [round]);
  return { round, box, over: useCallback(() => setRound((before) => before + 1), []) };
}
