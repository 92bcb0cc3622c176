import { Check, CircleAlert, LoaderCircle } from "lucide-react";
import { useId } from "react";
import { settingsText } from "../../messages/settings.ts";
import { Icon } from "../../ui/icon.tsx";
import type { Choice, ChoiceName } from "./use-choices.ts";
import "./choices.css";

const t = settingsText.notifications;

export function ChoiceBox({ name, choice }: { name: ChoiceName; choice: Choice }) {
  const id = useId();
  const [label, explained] = t.choices[name];
  const { step } = choice;
  return (
    <div className="choice-box">
      <span className="check">
        <input
          type="checkbox"
          id={id}
          aria-describedby={`${id}-about`}
          checked={choice.checked}
          onChange={(event) => choice.set(event.target.checked)}
        />
        <span>
          <label htmlFor={id}>{label}</label>
          <span className="hint" id={`${id}-about`}>
            {explained}
          </span>
        </span>
      </span>
      <span className="step" data-step={step?.what} role="status">
        {step?.what === "saving" && (
          <>
            <Icon of={LoaderCircle} sm className="spin" />
            {t.saving}
          </>
        )}
        {step?.what === "saved" && (
          <>
            <Icon of={Check} sm />
            {t.saved}
          </>
        )}
        {step?.what === "failed" && (
          <>
            <Icon of={CircleAlert} sm />
            {t.notSaved} {step.why}
          </>
        )}
      </span>
    </div>
  );
}
