import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useFields } from "../../forms/use-fields.ts";
import { focusFirstError } from "../../lib/focus-error.ts";
import { freshKey } from "../../lib/fresh-key.ts";
import { forget } from "../../lib/kept-place.ts";
import { audienceText } from "../../messages/audience.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { useAttachmentUpload } from "../../ui/attachment-upload.tsx";
import { type CampaignForm, EMPTY_FORM, FIELD_PLACES, filesOf, type Intent, withFiles } from "./form.ts";
import { keep, readKept } from "./kept-form.ts";
import { useAfterUpload } from "./use-after-upload.ts";
import type { Saved } from "./use-save-campaign.ts";
import type { FieldErrors } from "./validate.ts";

type Start = {
  initial: CampaignForm;
  zone: string;
  place: string;
  base: string;
  check: (form: CampaignForm, intent: Intent) => FieldErrors;
  save: (form: CampaignForm, intent: Intent, key: string, basedOn: string) => Promise<Saved>;
  /** Called for a valid campaign to be created; resolves to whether to go on. */
  confirm: () => Promise<boolean>;
};

/** `as`: key; `basedOn`: the version it may replace. */
type Errand = { wish: Intent; as: string; basedOn: string };

export function useCampaignForm({ initial, zone, place, base, check, save, confirm }: Start) {
  const [kept] = useState(() => readKept(place, base, Date.now()));
  const [intent, setIntent] = useState<Intent>("create");
  const [busy, setBusy] = useState<Intent | null>(null);
  const [submitError, setSubmitError] = useState<unknown>(null);
  const { showAnswer, reset, isValid, setValues, ...fields } = useFields<CampaignForm>(
    kept?.form ?? initial,
    (values) => check(values, intent),
  );
  const { values, touch } = fields;
  const keeping = useKeeping({ initial, place, base, kept }, values);
  const { form, from, toError } = useErrorFocus(submitError);

  const refuse = (thrown: unknown) => {
    const placed = placedErrors(thrown);
    showAnswer(placed);
    if (Object.keys(placed).length > 0) toError();
    else setSubmitError(thrown);
  };
  const send = async ({ wish, as, basedOn }: Errand) => {
    if (busy) return;
    setIntent(wish);
    touch(Object.keys(EMPTY_FORM));
    setSubmitError(null);
    if (Object.keys(check(values, wish)).length > 0) return toError();
    if (wish === "create" && !(await confirm())) return;
    setBusy(wish);
    keeping.begin(as);
    await save(values, wish, as, basedOn)
      .then((saved) => keeping.finish({ ...saved, form: values }))
      .catch(refuse)
      .finally(() => setBusy(null));
  };
  const upload = useAttachmentUpload((file) =>
    fields.change(["attachment", "more"], (before) => withFiles([...filesOf(before), file])),
  );
  const sending = useAfterUpload<Errand>(upload, (errand) => void send(errand), toError);
  const start = (errand: Errand) => {
    from.current = document.activeElement;
    sending.start(errand);
  };
  const discard = () => {
    keeping.discard();
    sending.drop();
    reset(initial);
  };
  return {
    ...fields,
    ...submitsOf({ start, key: keeping.key, setKey: keeping.setKey, base, intent, submitError }),
    upload,
    busy: busy ?? sending.waiting?.wish ?? null,
    submitError,
    intent,
    form,
    recovered: keeping.recovered,
    zone,
    discard,
    text: (name: TextField) => fields.text(name, () => touch([name])),
  };
}

type Keeping = Pick<Start, "initial" | "place" | "base"> & { kept: ReturnType<typeof readKept> };
type SavedForm = Saved & { form: CampaignForm };

/** Stores the input with its idempotency key, for this and a reloaded page, until it is saved. */
function useKeeping({ initial, place, base, kept }: Keeping, values: CampaignForm) {
  const [key, setKey] = useState(() => kept?.key ?? freshKey());
  const [recovered, setRecovered] = useState(kept !== null);
  const saved = useRef<SavedForm | null>(null);
  const now = useRef(values);
  now.current = values;
  useEffect(() => {
    if (saved.current) keepRest(saved.current, values);
    else if (values !== initial && values !== kept?.form)
      keep(place, { form: values, key, base, at: Date.now() }, initial);
  }, [values, initial, kept, place, key, base]);
  return {
    key,
    setKey,
    recovered,
    /** Unedited copies too: a retry after a reload needs the same key. */
    begin: (as: string) => keep(place, { form: values, key: as, base, at: Date.now() }, initial),
    finish: async (stored: SavedForm) => {
      saved.current = stored;
      forget(place);
      keepRest(stored, now.current);
      // The old key would repeat the answered request.
      if (stored.rest) setKey(stored.rest.key);
      setRecovered(false);
      await stored.leave(stored.rest !== null && now.current !== stored.form);
    },
    discard: () => {
      forget(place);
      setKey(freshKey());
      setRecovered(false);
    },
  };
}

type Submits = {
  start: (errand: Errand) => void;
  key: string;
  setKey: (key: string) => void;
  base: string;
  intent: Intent;
  submitError: unknown;
};

/** The three ways to submit: under the same key, as a second campaign, over a newer version. */
function submitsOf({ start, key, setKey, base, intent, submitError }: Submits) {
  return {
    send: (wish: Intent) => start({ wish, as: key, basedOn: base }),
    /** As a second campaign, besides the one an earlier attempt or another window created. */
    sendAsNew: () => {
      const other = freshKey();
      setKey(other);
      start({ wish: intent, as: other, basedOn: base });
    },
    /** Overwrites the newer version that the refusal named. */
    sendOver: () => start({ wish: intent, as: key, basedOn: newerOf(submitError) ?? base }),
  };
}

/** `from`: the focus at submit. An error of no field scrolls into view. */
function useErrorFocus(error: unknown) {
  const form = useRef<HTMLFormElement>(null);
  const from = useRef<Element | null>(null);
  useEffect(() => {
    if (error !== null) form.current?.lastElementChild?.scrollIntoView({ block: "center" });
  }, [error]);
  return { form, from, toError: () => focusFirstError(form.current, from.current) };
}

/** Fields that hold any text. */
type TextField = {
  [Field in keyof CampaignForm]: string extends CampaignForm[Field] ? Field : never;
}[keyof CampaignForm];

export type CampaignFormState = ReturnType<typeof useCampaignForm>;

/** Keeps input typed since the submit, as unsaved changes of the saved version. */
function keepRest({ rest, form }: SavedForm, values: CampaignForm): void {
  if (rest && values !== form) keep(rest.place, { ...rest, form: values, at: Date.now() }, form);
}

function newerOf(submitError: unknown): string | null {
  const newer = submitError instanceof ApiError ? submitError.details.updatedAt : undefined;
  return typeof newer === "string" ? newer : null;
}

/** Deleted on the server, by field; an unused picture lives a week. */
const GONE: Readonly<Record<string, Partial<Record<keyof CampaignForm, string>>>> = {
  attachmentId: { attachment: t.fileGone },
  moreAttachmentIds: { more: t.fileGone },
  connectionId: { connection: t.connectionGone },
  listId: { list: t.chosenListGone },
};

function placedErrors(thrown: unknown): Partial<Record<keyof CampaignForm, string>> {
  if (!(thrown instanceof ApiError)) return {};
  if (thrown.code === "campaign_no_default_connection") return { connection: thrown.text };
  if (thrown.code === "audience_gone") return { audience: audienceText.gone };
  const placed: Partial<Record<keyof CampaignForm, string>> = {};
  const missed = thrown.code === "not_found" ? String(thrown.details.field) : "";
  if (missed.startsWith("audience")) return { audience: audienceText.gone };
  const gone = GONE[missed];
  if (gone) return gone;
  for (const [field, words] of Object.entries(thrown.fields)) {
    const place = FIELD_PLACES[field.startsWith("audience.") ? "audience" : field];
    if (place) placed[place] = words;
  }
  return placed;
}
