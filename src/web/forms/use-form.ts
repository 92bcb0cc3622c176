import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ApiError } from "../api/api-error.ts";
import { focusFirstError } from "../lib/focus-error.ts";

type Faults<V> = Partial<Record<keyof V & string, string | null>>;

type Spec<V> = {
  initial: V;
  /** Words for every faulty field; an empty object when all is well. */
  validate: (values: V) => Faults<V>;
  /** Keeps its promise or throws; faults of fields that the server names are shown at them. */
  submit: (values: V) => Promise<unknown>;
};

/**
 * A form's values and faults. A field is judged when it is left, and from then on at each key; a press on the button judges all and
 * goes to the first faulty one. `fault` is what was thrown and belongs to no field.
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
      // At once: what an answer changes is otherwise drawn after the look for a faulty field.
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
    /** For what a second button of the form could not do. */
    fail: setFault,
    judge,
    /** What was saved takes the place of what was sent, unjudged; a field in which somebody wrote on meanwhile stays as it is. */
    settle: (sent: V, saved: V) => {
      setValues((now) => ({ ...saved, ...onlyDiffering(now, sent) }));
      setJudged(new Set());
    },
    form,
    /** For `<form {...props}>`; `noValidate`, because the browser's own bubbles speak its language, not ours. */
    formProps: {
      ref: form,
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault();
        if (!busy) void send();
      },
    },
    /** For a text field. */
    text: (name: keyof V & string) => ({
      name,
      value: String(values[name] ?? ""),
      error: error(name),
      onChange: (event: { target: { value: string } }) => set(name, event.target.value as V[typeof name]),
      // An empty field that is only passed through is not a fault yet.
      onBlur: () => String(values[name] ?? "") !== "" && afterPress(() => judge([name])),
    }),
  };
}

let pressed = false;
addEventListener("pointerdown", () => (pressed = true), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (pressed = false), true);

/**
 * A press on a button takes the focus from the field above it: a fault that appeared at that moment would move the button away from
 * under the pointer, and the click would be lost. So it waits for the press to end.
 */
function afterPress(act: () => void) {
  if (pressed) addEventListener("pointerup", () => setTimeout(act), { once: true, capture: true });
  else act();
}

/** Lets the fields in which nobody has written show what is stored by now, whoever changed it. */
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

/** The fields that are not as they were. */
export const onlyDiffering = <V extends Record<string, unknown>>(now: V, sent: V): Partial<V> =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== sent[name])) as Partial<V>;

/** The button that was pressed was dead meanwhile, and browsers let the keyboard fall out of it. */
function focusAfterwards(form: HTMLElement | null) {
  setTimeout(() => {
    if (document.activeElement === document.body)
      form?.querySelector<HTMLElement>("[type=submit]")?.focus({ preventScroll: true });
  });
}
