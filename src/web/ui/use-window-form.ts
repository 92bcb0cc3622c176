import { onlyDiffering, useForm } from "../forms/use-form.ts";
import { useFormDraft } from "./use-draft.ts";

type Values = Record<string, unknown>;
type Spec<V extends Values> = Parameters<typeof useForm<V>>[0] & {
  /** What the fields hold before anything is written; unless told, `initial`. */
  empty?: V;
  /** Fields that are not kept. */
  secret?: readonly (keyof V & string)[];
};

/**
 * `useForm` of a window: what was written in it, and not sent, as the session ended stands there when this window is opened again.
 * `unsaved`: whether anything is written in it.
 */
export function useWindowForm<V extends Values>(window: string, { empty, secret = [], ...spec }: Spec<V>) {
  const unfinished = useFormDraft<V>(window);
  const form = useForm<V>({ ...spec, initial: { ...spec.initial, ...unfinished.found } });
  const written = Object.entries(onlyDiffering(form.values, empty ?? spec.initial));
  unfinished.note(Object.fromEntries(written.filter(([name]) => !secret.includes(name))) as Partial<V>);
  return { ...form, unsaved: written.length > 0 };
}
