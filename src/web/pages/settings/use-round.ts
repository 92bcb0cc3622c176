import { useCallback, useEffect, useRef, useState } from "react";

/**
 * A form that begins anew after saving and cancelling (`key={round}`), so that nothing of the former one stays judged. The keyboard
 * stays at its button; the old one is gone with the old form.
 */
export function useRound() {
  const [round, setRound] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Whoever has gone on to write elsewhere stays there.
    if (round > 0 && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>("[type=submit]")?.focus({ preventScroll: true });
  }, [round]);
  return { round, box, over: useCallback(() => setRound((before) => before + 1), []) };
}
