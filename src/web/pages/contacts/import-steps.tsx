import { clsx } from "clsx";
import { Check } from "lucide-react";
import { importText as t } from "../../messages/import.ts";
import { Icon } from "../../ui/icon.tsx";
import styles from "./import.module.css";

export function ImportSteps({ at }: { at: 0 | 1 | 2 }) {
  return (
    <ol className={styles.steps} aria-label={t.steps.label}>
      {t.steps.names.map((name, step) => (
        <li
          key={name}
          className={clsx(step < at && styles.past)}
          aria-current={step === at ? "step" : undefined}
        >
          <span className={styles.number}>{step < at ? <Icon of={Check} sm /> : step + 1}</span>
          <span>{name}</span>
        </li>
      ))}
    </ol>
  );
}
