import { useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ApiError } from "../../api/api-error.ts";
import { focusFirstError } from "../../lib/focus-error.ts";
import { freshKey } from "../../lib/fresh-key.ts";
import { forget } from "../../lib/kept-place.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { useImageUpload } from "../../ui/image-upload.tsx";
import { type CampaignForm, EMPTY_FORM, FIELD_PLACES, type Intent } from "./form.ts";
import { keep, readKept } from "./kept-form.ts";
import { useAfterUpload } from "./use-after-upload.ts";
import type { Saved } from "./use-save-campaign.ts";
import { errorsOf } from "./validate.ts";

type Start = {
  initial: CampaignForm;
  zone: string;
  /** Where unsaved typing is kept, and the stored version it starts from. */
  place: string;
  base: string;
  /** Keeps its promise once the server has it. */
  save: (form: CampaignForm, intent: Intent, key: string, basedOn: string) => Promise<Saved>;
  /** Asked when nothing is wrong with a campaign that is to be created: whether the person goes on. */
  confirm: () => Promise<boolean>;
};

/** `as`: under which key; `basedOn`: the stored version that it may take the place of. */
type Errand = { wish: Intent; as: string; basedOn: string };

/**
 * The form's values, faults and way to the server. Typing is kept in this browser until it is saved, with the form's key: a request whose
 * answer was lost is the same request when it is made again.
 */
export function useCampaignForm({ initial, zone, place, base, save, confirm }: Start) {
  const [kept] = useState(() => readKept(place, base, Date.now()));
  const [values, setValues] = useState(kept?.form ?? initial);
  const [key, setKey] = useState(() => kept?.key ?? freshKey());
  const [recovered, setRecovered] = useState(kept !== null);
  const [judged, setJudged] = useState<ReadonlySet<string>>(new Set());
  const [intent, setIntent] = useState<Intent>("create");
  const [answered, setAnswered] = useState<Partial<Record<keyof CampaignForm, string>>>({});
  const [busy, setBusy] = useState<Intent | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const form = useRef<HTMLFormElement>(null);
  /** Where the keyboard was when the form was sent. */
  const from = useRef<Element | null>(null);
  const toError = () => focusFirstError(form.current, from.current);
  const saved = useRef<(Saved & { form: CampaignForm }) | null>(null);
  const now = useRef(values);
  now.current = values;
  const faults = useMemo(() => errorsOf(values, intent, zone, new Date()), [values, intent, zone]);

  useEffect(() => {
    if (saved.current) keepRest(saved.current, values);
    else if (values !== initial && values !== kept?.form)
      keep(place, { form: values, key, base, at: Date.now() }, initial);
  }, [values, initial, kept, place, key, base]);

  // It stands at the end of the form, which may be far below what the person looks at.
  useEffect(() => {
    if (fault !== null) form.current?.lastElementChild?.scrollIntoView({ block: "center" });
  }, [fault]);

  const set = <N extends keyof CampaignForm>(name: N, value: CampaignForm[N]) => {
    setValues((before) => ({ ...before, [name]: value }));
    setAnswered(({ [name]: _, ...rest }) => rest);
  };
  const judge = (...names: (keyof CampaignForm)[]) => setJudged((before) => new Set([...before, ...names]));

  const send = async ({ wish, as, basedOn }: Errand) => {
    if (busy) return;
    setIntent(wish);
    setJudged(new Set(Object.keys(EMPTY_FORM)));
    setFault(null);
    if (Object.keys(errorsOf(values, wish, zone, new Date())).length > 0) return toError();
    if (wish === "create" && !(await confirm())) return;
    setBusy(wish);
    // Also what was not typed here, a copy: after a lost answer and a reload it must go out under the same key.
    keep(place, { form: values, key: as, base, at: Date.now() }, initial);
    try {
      const stored = { ...(await save(values, wish, as, basedOn)), form: values };
      saved.current = stored;
      forget(place);
      keepRest(stored, now.current);
      // A request under the former key would be the one that was just answered.
      if (stored.rest) setKey(stored.rest.key);
      setRecovered(false);
      await stored.leave(stored.rest !== null && now.current !== values);
    } catch (thrown) {
      const placed = placedErrors(thrown);
      // At once: what an answer changes is otherwise drawn after the look for a faulty field.
      flushSync(() => setAnswered(placed));
      if (Object.keys(placed).length > 0) toError();
      else setFault(thrown);
    } finally {
      setBusy(null);
    }
  };
  const upload = useImageUpload((image) => set("image", image));
  const sending = useAfterUpload<Errand>(upload, (errand) => void send(errand), toError);
  const start = (errand: Errand) => {
    from.current = document.activeElement;
    sending.start(errand);
  };
  return {
    values,
    set,
    judge,
    upload,
    send: (wish: Intent) => start({ wish, as: key, basedOn: base }),
    /** As another campaign than the one that an earlier attempt, or another window with the same text, has made. */
    sendAnew: () => {
      const other = freshKey();
      setKey(other);
      start({ wish: intent, as: other, basedOn: base });
    },
    /** In the place of what another window has saved meanwhile, whose version the refusal named. */
    sendOver: () => start({ wish: intent, as: key, basedOn: newerOf(fault) ?? base }),
    busy: busy ?? sending.waiting?.wish ?? null,
    fault,
    intent,
    form,
    recovered,
    zone,
    error: (name: keyof CampaignForm) => answered[name] ?? (judged.has(name) ? faults[name] : undefined),
    /** Back to what is stored, without what was typed since. */
    discard: () => {
      forget(place);
      sending.drop();
      // What is written from here on is another campaign.
      setKey(freshKey());
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

/** What was written since it was sent: changes of what is stored by now, not yet saved. */
function keepRest({ rest, form }: Saved & { form: CampaignForm }, values: CampaignForm): void {
  if (rest && values !== form) keep(rest.place, { ...rest, form: values, at: Date.now() }, form);
}

/** The stored version that stood in the way; null where it was something else. */
function newerOf(fault: unknown): string | null {
  const newer = fault instanceof ApiError ? fault.details.updatedAt : undefined;
  return typeof newer === "string" ? newer : null;
}

/** What the server has no more, by its name of the field: a picture waits a week to be named, the others were deleted at this moment. */
const GONE: Readonly<Record<string, Partial<Record<keyof CampaignForm, string>>>> = {
  imageId: { image: t.imageGone },
  connectionId: { connection: t.connectionGone },
  listId: { list: t.chosenListGone },
};

/** The server's faults at the fields they belong to. */
function placedErrors(thrown: unknown): Partial<Record<keyof CampaignForm, string>> {
  if (!(thrown instanceof ApiError)) return {};
  if (thrown.code === "campaign_no_default_connection") return { connection: thrown.text };
  const placed: Partial<Record<keyof CampaignForm, string>> = {};
  const gone = thrown.code === "not_found" ? GONE[String(thrown.details.field)] : undefined;
  if (gone) return gone;
  for (const [field, words] of Object.entries(thrown.fields)) {
    const place = FIELD_PLACES[field];
    if (place) placed[place] = words;
  }
  return placed;
}
