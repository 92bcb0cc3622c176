import { Search } from "lucide-react";
import { useCallback, useEffect, useId, useRef, useState } from "react";
import { Icon } from "./icon.tsx";

type Props = { label: string; placeholder: string; value: string; onChange: (value: string) => void };

const PAUSE_MS = 250;

/** Searches as one types, after a short pause; Enter searches at once, Esc clears. */
export function SearchBox({ label, placeholder, value, onChange }: Props) {
  const id = useId();
  const [text, setText] = useState(value);
  /** What was said and has not come back as `value` yet. */
  const said = useRef<string[]>([]);
  useEffect(() => {
    const at = said.current.lastIndexOf(value);
    said.current = at < 0 ? [] : said.current.slice(at + 1);
    // By the time it comes back more may have been typed.
    if (at < 0) setText(value);
  }, [value]);
  const say = useCallback(
    (wanted: string) => {
      if (wanted === value) return;
      said.current.push(wanted);
      onChange(wanted);
    },
    [value, onChange],
  );
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => say(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, say]);
  return (
    <search className="wrap">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Icon of={Search} sm className="start" />
      <input
        id={id}
        type="search"
        className="input"
        placeholder={placeholder}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") say(text);
          if (event.key !== "Escape") return;
          setText("");
          say("");
        }}
      />
    </search>
  );
}
