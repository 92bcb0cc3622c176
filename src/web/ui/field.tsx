import { clsx } from "clsx";
import { CircleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";
import { commonText } from "../messages/common.ts";
import styles from "./field.module.css";
import { Icon } from "./icon.tsx";
import layoutStyles from "./layout.module.css";

export type ControlProps = {
  id: string;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: true | undefined;
};

type Props = {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
  optional?: boolean;
  hiddenLabel?: boolean;
  className?: string;
  children: (control: ControlProps) => ReactNode;
};

export function Field({ label, hint, error, optional, hiddenLabel, className, children }: Props) {
  const id = useId();
  const describedBy = error || hint ? `${id}-hint` : undefined;
  return (
    <div className={clsx(styles.field, className)} data-ui="field">
      <label
        htmlFor={id}
        className={hiddenLabel ? layoutStyles.srOnly : styles.fieldLabel}
        data-ui={!hiddenLabel ? "field-label" : undefined}
      >
        {label} {optional && <span className={styles.optional}>{commonText.optional}</span>}
      </label>
      {children({ id, "aria-describedby": describedBy, "aria-invalid": error ? true : undefined })}
      <Hint id={describedBy} hint={hint} error={error} />
    </div>
  );
}

export function Hint({
  id,
  hint,
  error,
}: {
  id?: string | undefined;
  hint?: ReactNode;
  error?: string | null | undefined;
}) {
  if (error)
    return (
      <p id={id} className={clsx(styles.hint, styles.error)} data-ui="hint" role="alert">
        <Icon of={CircleAlert} sm />
        {error}
      </p>
    );
  return hint ? (
    <p id={id} className={styles.hint} data-ui="hint">
      {hint}
    </p>
  ) : null;
}
