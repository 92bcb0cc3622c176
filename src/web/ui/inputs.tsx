import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import fieldStyles from "./field.module.css";
import { Field } from "./field.tsx";
import { Icon } from "./icon.tsx";

type Labelled = {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
  optional?: boolean;
  hiddenLabel?: boolean;
};

type InputProps = ComponentProps<"input"> &
  Labelled & { suffix?: string; within?: ReactNode; fieldClass?: string };

export function TextInput({
  label,
  hint,
  error,
  optional,
  hiddenLabel,
  suffix,
  within,
  fieldClass,
  className,
  ...rest
}: InputProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      optional={optional ?? false}
      hiddenLabel={hiddenLabel ?? false}
      className={fieldClass}
    >
      {(control) => (
        <span className={fieldStyles.wrap} data-ui="wrap">
          <input
            type="text"
            {...rest}
            {...control}
            className={clsx(fieldStyles.input, className)}
            data-ui="input"
          />
          {suffix && <span className={fieldStyles.suffix}>{suffix}</span>}
          {within}
        </span>
      )}
    </Field>
  );
}

export function PhoneInput(props: InputProps) {
  return <TextInput type="tel" inputMode="tel" autoComplete="off" data-ui="num" {...props} />;
}

export function TextArea({
  label,
  hint,
  error,
  optional,
  hiddenLabel,
  className,
  ...rest
}: ComponentProps<"textarea"> & Labelled) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      optional={optional ?? false}
      hiddenLabel={hiddenLabel ?? false}
    >
      {(control) => (
        <textarea {...rest} {...control} className={clsx(fieldStyles.input, className)} data-ui="input" />
      )}
    </Field>
  );
}

export type Option = { value: string; label: string; disabled?: boolean };

type SelectProps = ComponentProps<"select"> & Labelled & { options: readonly Option[] };

/** The native list: works on every phone and with every screen reader. */
export function Select({
  label,
  hint,
  error,
  optional,
  hiddenLabel,
  options,
  className,
  ...rest
}: SelectProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      optional={optional ?? false}
      hiddenLabel={hiddenLabel ?? false}
    >
      {(control) => (
        <span className={fieldStyles.wrap} data-ui="wrap">
          <select {...rest} {...control} className={clsx(fieldStyles.input, className)} data-ui="input">
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.disabled}>
                {option.label}
              </option>
            ))}
          </select>
          <Icon of={ChevronDown} sm className={fieldStyles.end} />
        </span>
      )}
    </Field>
  );
}
