import { useId } from "react";

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
    <fieldset className="field">
      <legend className={hiddenLegend ? "sr-only" : "field-label"}>{legend}</legend>
      <div className="choice">
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
              <span className="name">{choice.name}</span>
              <span className="explained">{choice.explained}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
