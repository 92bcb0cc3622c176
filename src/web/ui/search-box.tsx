import { Search } from "lucide-react";
import { useEffect, useId } from "react";
import { searchWords } from "../lib/search-words.ts";
import fieldStyles from "./field.module.css";
import { Icon } from "./icon.tsx";
import layoutStyles from "./layout.module.css";
import { useDebouncedInput } from "./use-debounced-input.ts";

type Props = { label: string; placeholder: string; value: string; onChange: (value: string) => void };

const PAUSE_MS = 250;

export function SearchBox({ label, placeholder, value, onChange }: Props) {
  const id = useId();
  const { text, setText, say } = useDebouncedInput(value, onChange);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => say(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, say]);
  return (
    <search className={fieldStyles.wrap} data-ui="wrap">
      <label htmlFor={id} className={layoutStyles.srOnly}>
        {label}
      </label>
      <Icon of={Search} sm className={fieldStyles.start} />
      <input
        id={id}
        type="search"
        className={fieldStyles.input}
        data-ui="input"
        placeholder={placeholder}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(searchWords(event.target.value))}
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
