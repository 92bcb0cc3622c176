import { useCallback, useEffect, useRef, useState } from "react";

/**
 * The text of a field whose `value` comes back a moment after it was said, as the address does: by then more may have been typed. A value
 * that was said elsewhere takes its place.
 */
export function useDebouncedInput(value: string, onSay: (wanted: string) => void) {
  const [text, setText] = useState(value);
  /** What was said and has not come back as `value` yet. */
  const said = useRef<string[]>([]);
  useEffect(() => {
    const at = said.current.lastIndexOf(value);
    said.current = at < 0 ? [] : said.current.slice(at + 1);
    if (at < 0) setText(value);
  }, [value]);
  const say = useCallback(
    (wanted: string) => {
      if (wanted === value) return;
      said.current.push(wanted);
      onSay(wanted);
    },
    [value, onSay],
  );
  return { text, setText, say };
}
