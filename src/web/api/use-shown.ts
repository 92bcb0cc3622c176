import { useRef } from "react";

/** What the answer on the screen is about: while the next one is on its way (`former`) that is not what is asked for now. */
export function useShown<T>(asked: T, former: boolean): T {
  const shown = useRef(asked);
  if (!former) shown.current = asked;
  return shown.current;
}
