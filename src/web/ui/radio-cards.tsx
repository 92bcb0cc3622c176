import { clsx } from "clsx";
import { useId } from "react";
import fieldStyles from "./field.module.css";
import layoutStyles from "./layout.module.css";
import styles from "./radio-cards.module.css";

type Choice<V extends string> = { value: V; name: string; explained: string };

type Props<V extends string> = {
  legend: string;
  choices: readonly Choice<V>[];
  value: V;
  onChange: (value: V) => void;
  hiddenLegend?: boolean;
};

export function RadioCards<V extends string>({ legend, choices, value, onChange, hiddenLegend }: Props<V>) {
  const name = useId();
  return (
    <fieldset className={fieldStyles.field} data-ui="field">
      <legend
        className={hiddenLegend ? layoutStyles.srOnly : fieldStyles.fieldLabel}
        data-ui={!hiddenLegend ? "field-label" : undefined}
      >
        {legend}
      </legend>
      <div className={styles.choice} data-ui="choice">
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
            />
            <span>
              <span className={clsx(layoutStyles.block, layoutStyles.medium)}>{choice.name}</span>
              <span className={styles.explained}>{choice.explained}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
