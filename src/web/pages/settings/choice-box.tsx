import { clsx } from "clsx";
import { Check, CircleAlert, LoaderCircle } from "lucide-react";
import { useId } from "react";
import { settingsText } from "../../messages/settings.ts";
import checkboxStyles from "../../ui/checkbox.module.css";
import fieldStyles from "../../ui/field.module.css";
import { Icon } from "../../ui/icon.tsx";
import textStyles from "../../ui/text.module.css";
import styles from "./choices.module.css";
import type { Choice, ChoiceName } from "./use-choices.ts";

const t = settingsText.notifications;

export function ChoiceBox({ name, choice }: { name: ChoiceName; choice: Choice }) {
  const id = useId();
  const [label, explained] = t.choices[name];
  const { step } = choice;
  return (
    <div className={styles.choiceBox}>
      <span className={checkboxStyles.check}>
        <input
          type="checkbox"
          id={id}
          aria-describedby={`${id}-about`}
          checked={choice.checked}
          onChange={(event) => choice.set(event.target.checked)}
        />
        <span>
          <label htmlFor={id}>{label}</label>
          <span className={fieldStyles.hint} data-ui="hint" id={`${id}-about`}>
            {explained}
          </span>
        </span>
      </span>
      <span className={clsx(textStyles.quiet, styles.step)} data-step={step?.what} role="status">
        {step?.what === "saving" && (
          <>
            <Icon of={LoaderCircle} sm className={textStyles.spin} />
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
