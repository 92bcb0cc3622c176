import { onlyDiffering, useForm } from "../forms/use-form.ts";
import { useFormDraft } from "./use-draft.ts";

type Values = Record<string, unknown>;
type Spec<V extends Values> = Parameters<typeof useForm<V>>[0] & {
  empty?: V;
  secret?: readonly (keyof V & string)[];
};

/** `useForm` of a dialog that restores its draft after the session ended. */
export function useWindowForm<V extends Values>(window: string, { empty, secret = [], ...spec }: Spec<V>) {
  const unfinished = useFormDraft<V>(window);
  const form = useForm<V>({ ...spec, initial: { ...spec.initial, ...unfinished.found } });
  const written = Object.entries(onlyDiffering(form.values, empty ?? spec.initial));
  unfinished.note(Object.fromEntries(written.filter(([name]) => !secret.includes(name))) as Partial<V>);
  return { ...form, unsaved: written.length > 0 };
}
