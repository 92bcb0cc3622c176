import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ApiError } from "../api/api-error.ts";
import { focusFirstError } from "../lib/focus-error.ts";

type Faults<V> = Partial<Record<keyof V & string, string | null>>;

type Spec<V> = {
  initial: V;
  validate: (values: V) => Faults<V>;
  submit: (values: V) => Promise<unknown>;
};

/**
 * Fields are validated on blur, then on each key; submit validates all and focuses the first error. `fault`:
 * an error of no field.
 */
export function useForm<V extends Record<string, unknown>>({ initial, validate, submit }: Spec<V>) {
  const [values, setValues] = useState(initial);
  const [judged, setJudged] = useState<ReadonlySet<string>>(new Set());
  const [answered, setAnswered] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const form = useRef<HTMLFormElement>(null);
  const faults = validate(values);

  const set = <N extends keyof V & string>(name: N, value: V[N]) => {
    setValues((before) => ({ ...before, [name]: value }));
    setAnswered(({ [name]: _, ...rest }) => rest);
  };
  const judge = (names: string[]) => setJudged((before) => new Set([...before, ...names]));
  const error = (name: keyof V & string) =>
    answered[name] ?? (judged.has(name) ? (faults[name] ?? null) : null);
  const send = async () => {
    const from = document.activeElement;
    judge(Object.keys(values));
    if (Object.values(faults).some(Boolean)) return focusFirstError(form.current, from);
    setBusy(true);
    setFault(null);
    try {
      await submit(values);
    } catch (thrown) {
      const fields = thrown instanceof ApiError ? thrown.fields : {};
      // Rendered before the first invalid field is searched.
      flushSync(() => setAnswered(fields));
      if (Object.keys(fields).some((name) => name in values)) focusFirstError(form.current, from);
      else setFault(thrown);
    } finally {
      setBusy(false);
      focusAfterwards(form.current);
    }
  };
  return {
    values,
    set,
    error,
    busy,
    fault,
    send,
    fail: setFault,
    judge,
    /** Shows saved values, except in fields edited since the submit. */
    settle: (sent: V, saved: V) => {
      setValues((now) => ({ ...saved, ...onlyDiffering(now, sent) }));
      setJudged(new Set());
    },
    form,
    /** `noValidate`: native messages are in the browser's language. */
    formProps: {
      ref: form,
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault();
        if (!busy) void send();
      },
    },
    text: (name: keyof V & string) => ({
      name,
      value: String(values[name] ?? ""),
      error: error(name),
      onChange: (event: { target: { value: string } }) => set(name, event.target.value as V[typeof name]),
      // Leaving an empty field is no error yet.
      onBlur: () => String(values[name] ?? "") !== "" && afterPress(() => judge([name])),
    }),
  };
}

let pressed = false;
addEventListener("pointerdown", () => (pressed = true), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (pressed = false), true);

/**
 * A press blurs the field above: an error shown now would move the button and lose the click. So wait for the
 * press to end.
 */
function afterPress(act: () => void) {
  if (pressed) addEventListener("pointerup", () => setTimeout(act), { once: true, capture: true });
  else act();
}

export function useStored<S, V>(
  form: { settle: (sent: V, saved: V) => void },
  stored: S,
  valuesOf: (stored: S) => V,
): void {
  const [shown, setShown] = useState(stored);
  if (shown === stored) return;
  setShown(stored);
  form.settle(valuesOf(shown), valuesOf(stored));
}

export const onlyDiffering = <V extends Record<string, unknown>>(now: V, sent: V): Partial<V> =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== sent[name])) as Partial<V>;

function focusAfterwards(form: HTMLElement | null) {
  setTimeout(() => {
    if (document.activeElement === document.body)
      form?.querySelector<HTMLElement>("[type=submit]")?.focus({ preventScroll: true });
  });
}
