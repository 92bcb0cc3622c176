import { useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { freshKey } from "../../fresh-key.ts";
import { type CampaignForm, EMPTY_FORM, FIELD_PLACES, type Intent } from "./form.ts";
import { faultsOf } from "./judge.ts";
import { forget, keep, readKept } from "./kept-form.ts";

type Start = {
  initial: CampaignForm;
  zone: string;
  /** Where unsaved typing is kept, and the stored version it starts from. */
  place: string;
  base: string;
  /** Keeps its promise once the server has it; answers the way off the screen. */
  save: (form: CampaignForm, intent: Intent, key: string) => Promise<() => Promise<void>>;
  /** Asked when nothing is wrong with a campaign that is to be created: whether the person goes on. */
  confirm: () => Promise<boolean>;
};

/**
 * The form's values, faults and way to the server. Typing is kept in this browser until it is saved, with the form's key: a request whose
 * answer was lost is the same request when it is made again.
 */
export function useCampaignForm({ initial, zone, place, base, save, confirm }: Start) {
  const [kept] = useState(() => readKept(place, base, Date.now()));
  const [values, setValues] = useState(kept?.form ?? initial);
  const [key] = useState(() => kept?.key ?? freshKey());
  const [recovered, setRecovered] = useState(kept !== null);
  const [judged, setJudged] = useState<ReadonlySet<string>>(new Set());
  const [intent, setIntent] = useState<Intent>("create");
  const [answered, setAnswered] = useState<Partial<Record<keyof CampaignForm, string>>>({});
  const [busy, setBusy] = useState<Intent | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const form = useRef<HTMLFormElement>(null);
  const saved = useRef(false);
  const faults = useMemo(() => faultsOf(values, intent, zone, new Date()), [values, intent, zone]);

  useEffect(() => {
    if (saved.current || values === initial || values === kept?.form) return;
    keep(place, { form: values, key, base, at: Date.now() });
  }, [values, initial, kept, place, key, base]);

  const set = <N extends keyof CampaignForm>(name: N, value: CampaignForm[N]) => {
    setValues((before) => ({ ...before, [name]: value }));
    setAnswered(({ [name]: _, ...rest }) => rest);
  };
  const judge = (...names: (keyof CampaignForm)[]) => setJudged((before) => new Set([...before, ...names]));

  const send = async (wish: Intent) => {
    if (busy) return;
    setIntent(wish);
    setJudged(new Set(Object.keys(EMPTY_FORM)));
    setFault(null);
    if (Object.keys(faultsOf(values, wish, zone, new Date())).length > 0)
      return focusFirstFault(form.current);
    if (wish === "create" && !(await confirm())) return;
    setBusy(wish);
    try {
      const leave = await save(values, wish, key);
      saved.current = true;
      forget(place);
      await leave();
    } catch (thrown) {
      const placed = placedFaults(thrown);
      setAnswered(placed);
      if (Object.keys(placed).length > 0) focusFirstFault(form.current);
      else setFault(thrown);
    } finally {
      setBusy(null);
    }
  };
  return {
    values,
    set,
    judge,
    send,
    busy,
    fault,
    intent,
    form,
    recovered,
    zone,
    error: (name: keyof CampaignForm) => answered[name] ?? (judged.has(name) ? faults[name] : undefined),
    /** Back to what is stored, without what was typed since. */
    discard: () => {
      forget(place);
      setValues(initial);
      setJudged(new Set());
      setRecovered(false);
    },
    /** For a text field. */
    text: (name: TextField) => ({
      name,
      value: values[name],
      error: answered[name] ?? (judged.has(name) ? faults[name] : undefined),
      onChange: (event: { target: { value: string } }) => set(name, event.target.value),
      onBlur: () => judge(name),
    }),
  };
}

type TextField = "name" | "text" | "nameFallback" | "date" | "time" | "intervalS" | "extraS";

export type CampaignFormState = ReturnType<typeof useCampaignForm>;

/** The server's faults at the fields they belong to. */
function placedFaults(thrown: unknown): Partial<Record<keyof CampaignForm, string>> {
  if (!(thrown instanceof ApiError)) return {};
  if (thrown.code === "campaign_no_default_connection") return { connection: thrown.text };
  const placed: Partial<Record<keyof CampaignForm, string>> = {};
  for (const [field, words] of Object.entries(thrown.fields)) {
    const place = FIELD_PLACES[field];
    if (place) placed[place] = words;
  }
  return placed;
}

/** After the faults are drawn. */
function focusFirstFault(form: HTMLElement | null) {
  setTimeout(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}
