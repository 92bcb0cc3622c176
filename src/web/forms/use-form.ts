import { type FormEvent, useRef, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { focusFirstError } from "../lib/focus-error.ts";
import { type Errors, useFields } from "./use-fields.ts";

type Spec<V> = {
  initial: V;
  validate: (values: V) => Errors<V>;
  submit: (values: V) => Promise<unknown>;
};

/**
 * Fields are validated on blur, then on each key; submit validates all and focuses the first error. `submitError`:
 * an error of no field.
 */
export function useForm<V extends Record<string, unknown>>({ initial, validate, submit }: Spec<V>) {
  const { showAnswer, reset, setValues, ...fields } = useFields<V>(initial, validate);
  const { values, touch } = fields;
  const [busy, setBusy] = useState(false);
  const [submitError, setSubmitError] = useState<unknown>(null);
  const form = useRef<HTMLFormElement>(null);

  const send = async () => {
    const from = document.activeElement;
    touch(Object.keys(values));
    if (!fields.isValid) return focusFirstError(form.current, from);
    setBusy(true);
    setSubmitError(null);
    try {
      await submit(values);
    } catch (thrown) {
      const placed = thrown instanceof ApiError ? thrown.fields : {};
      showAnswer(placed as Errors<V>);
      if (Object.keys(placed).some((name) => name in values)) focusFirstError(form.current, from);
      else setSubmitError(thrown);
    } finally {
      setBusy(false);
      focusAfterwards(form.current);
    }
  };
  return {
    ...fields,
    busy,
    submitError,
    send,
    fail: setSubmitError,
    /** Shows saved values, except in fields edited since the submit. */
    settle: (sent: V, saved: V) => reset((now) => ({ ...saved, ...onlyDiffering(now, sent) })),
    form,
    /** `noValidate`: native messages are in the browser's language. */
    formProps: {
      ref: form,
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault();
        // React passes events of a dialog on to the form around it.
        event.stopPropagation();
        if (!busy) void send();
      },
    },
    text: (name: keyof V & string) =>
      // Leaving an empty field is no error yet.
      fields.text(name, () => String(values[name] ?? "") !== "" && afterPress(() => touch([name]))),
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
