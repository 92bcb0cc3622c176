import { useCallback, useEffect, useRef, useState } from "react";

export function useDebouncedInput(value: string, onSay: (wanted: string) => void) {
  const [text, setText] = useState(value);
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
