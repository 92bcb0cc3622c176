import { useRef } from "react";

/**
 * What the answer on the screen belongs to: while the next one is loading (`former`), not the current
 * request.
 */
export function useShown<T>(asked: T, former: boolean): T {
  const shown = useRef(asked);
  if (!former) shown.current = asked;
  return shown.current;
}
