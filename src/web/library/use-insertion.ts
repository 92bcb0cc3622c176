import { type RefObject, useLayoutEffect, useRef } from "react";

export function useInsertion(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  set: (text: string) => void,
) {
  const cursor = useRef<number | null>(null);
  // Only after the text is in the field, and before the next key.
  useLayoutEffect(() => {
    if (cursor.current === null) return;
    area.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  });
  return (part: string) => {
    const field = area.current;
    if (!field) return;
    field.focus();
    const { selectionStart: start, selectionEnd: end } = field;
    set(text.slice(0, start) + part + text.slice(end));
    cursor.current = start + part.length;
  };
}
