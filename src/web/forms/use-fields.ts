import { useState } from "react";
import { flushSync } from "react-dom";

export type Errors<V> = Partial<Record<keyof V & string, string | null>>;

/**
 * Values of a form and what is shown of their errors: those of the last answer, and those of fields that were
 * touched.
 */
export function useFields<V extends object>(initial: V, validate: (values: V) => Errors<V>) {
  type Name = keyof V & string;
  const [values, setValues] = useState(initial);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [answered, setAnswered] = useState<Errors<V>>({});
  const errors = validate(values);

  const set = <N extends Name>(name: N, value: V[N]) => {
    setValues((before) => ({ ...before, [name]: value }));
    setAnswered((before) => ({ ...before, [name]: undefined }));
  };
  /** Of the values as they are then. */
  const change = (names: readonly Name[], to: (before: V) => Partial<V>) => {
    setValues((before) => ({ ...before, ...to(before) }));
    setAnswered((before) => ({ ...before, ...Object.fromEntries(names.map((name) => [name, undefined])) }));
  };
  const touch = (names: readonly string[]) => setTouched((before) => new Set([...before, ...names]));
  const error = (name: Name): string | null =>
    answered[name] ?? (touched.has(name) ? (errors[name] ?? null) : null);
  return {
    values,
    setValues,
    set,
    change,
    touch,
    error,
    isValid: !Object.values(errors).some(Boolean),
    /** Rendered at once, so that the first invalid field can be searched. */
    showAnswer: (fields: Errors<V>) => flushSync(() => setAnswered(fields)),
    /** Other values, whose errors show after they are touched. */
    reset: (next: V | ((before: V) => V)) => {
      setValues(next);
      setTouched(new Set());
    },
    text: (name: Name, onBlur: () => unknown) => ({
      name,
      value: String(values[name] ?? ""),
      error: error(name),
      onChange: (event: { target: { value: string } }) => set(name, event.target.value as V[Name]),
      onBlur,
    }),
  };
}
