import { useRef } from "react";

export function useShown<T>(asked: T, former: boolean): T {
  const shown = useRef(asked);
  if (!former) shown.current = asked;
  return shown.current;
}
