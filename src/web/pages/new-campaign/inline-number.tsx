import { clsx } from "clsx";
import { useId, useState } from "react";
import { audienceText as t } from "../../messages/audience.ts";
import fieldStyles from "../../ui/field.module.css";
import { Hint } from "../../ui/field.tsx";
import styles from "./ledger.module.css";

type Props = {
  label: string;
  before: string;
  after: string;
  value: number;
  most: number;
  onChange: (value: number) => void;
};

export function InlineNumber({ label, before, after, value, most, onChange }: Props) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const isValid = (text: string) => /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= most;
  const wrong = typed !== null && !isValid(typed.trim());
  return (
    <span className={styles.text}>
      {before}{" "}
      <input
        className={clsx(fieldStyles.input, styles.number)}
        data-ui="input num"
        aria-label={label}
        aria-invalid={wrong || undefined}
        aria-describedby={wrong ? `${id}-hint` : undefined}
        inputMode="numeric"
        autoComplete="off"
        value={typed ?? String(value)}
        onChange={({ target }) => {
          setTyped(target.value);
          const text = target.value.trim();
          if (isValid(text)) onChange(Number(text));
        }}
        onBlur={() => setTyped(null)}
      />{" "}
      {after}
      {wrong && <Hint id={`${id}-hint`} error={t.between(most)} />}
    </span>
  );
}
