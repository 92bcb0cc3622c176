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
  place: string;
  base: string;
  save: (form: CampaignForm, intent: Intent, key: string, basedOn: string) => Promise<Saved>;
  /** Called for a valid campaign to be created; resolves to whether to go on. */
  confirm: () => Promise<boolean>;
};

/** `as`: key; `basedOn`: the version it may replace. */
type Errand = { wish: Intent; as: string; basedOn: string };

/**
 * Form state with idempotent submit. Input is stored with its key until saved, so a retry after a lost answer
 * is the same request.
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
    // Unedited copies too: a retry after a reload needs the same key.
    keep(place, { form: values, key: as, base, at: Date.now() }, initial);
    try {
      const stored = { ...(await save(values, wish, as, basedOn)), form: values };
      saved.current = stored;
      forget(place);
      keepRest(stored, now.current);
      // The old key would repeat the answered request.
      if (stored.rest) setKey(stored.rest.key);
      setRecovered(false);
      await stored.leave(stored.rest !== null && now.current !== values);
    } catch (thrown) {
      const placed = placedErrors(thrown);
      // Rendered before the first invalid field is searched.
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
    /** As a second campaign, besides the one an earlier attempt or another window created. */
    sendAsNew: () => {
      const other = freshKey();
      setKey(other);
      start({ wish: intent, as: other, basedOn: base });
    },
    /** Overwrites the newer version that the refusal named. */
    sendOver: () => start({ wish: intent, as: key, basedOn: newerOf(fault) ?? base }),
    busy: busy ?? sending.waiting?.wish ?? null,
    fault,
    intent,
    form,
    recovered,
    zone,
    error: (name: keyof CampaignForm) => answered[name] ?? (judged.has(name) ? faults[name] : undefined),
    discard: () => {
      forget(place);
      sending.drop();
      setKey(freshKey());
      setValues(initial);
      setJudged(new Set());
      setRecovered(false);
    },
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

/** Keeps input typed since the submit, as unsaved changes of the saved version. */
function keepRest({ rest, form }: Saved & { form: CampaignForm }, values: CampaignForm): void {
  if (rest && values !== form) keep(rest.place, { ...rest, form: values, at: Date.now() }, form);
}

function newerOf(fault: unknown): string | null {
  const newer = fault instanceof ApiError ? fault.details.updatedAt : undefined;
  return typeof newer === "string" ? newer : null;
}

/** Deleted on the server, by field; an unused picture lives a week. */
const GONE: Readonly<Record<string, Partial<Record<keyof CampaignForm, string>>>> = {
  imageId: { image: t.imageGone },
  connectionId: { connection: t.connectionGone },
  listId: { list: t.chosenListGone },
};

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
