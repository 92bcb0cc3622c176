import { type ComponentProps, type ReactNode, useId } from "react";
import styles from "./checkbox.module.css";
import fieldStyles from "./field.module.css";
import { Hint } from "./field.tsx";

type Props = Omit<ComponentProps<"input">, "type" | "children"> & {
  error?: string | null | undefined;
  children: ReactNode;
};

export function Checkbox({ error, children, ...rest }: Props) {
  const id = useId();
  return (
    <div className={fieldStyles.field} data-ui="field">
      <span className={styles.check}>
        <input
          {...rest}
          type="checkbox"
          id={id}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-hint` : undefined}
        />
        <label htmlFor={id}>{children}</label>
      </span>
      <Hint id={`${id}-hint`} error={error} />
    </div>
  );
}
