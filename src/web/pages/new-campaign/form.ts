import type { Campaign, CampaignInput } from "../../../contract/campaigns.ts";
import type { AttachmentSummary } from "../../../contract/files.ts";
import { takesCaption } from "../../../domain/attachment.ts";
import { type Audience, EVERYONE, normalizeAudience } from "../../../domain/audience.ts";
import { MAX_PARTS } from "../../../domain/campaign.ts";
import { fieldsIn } from "../../../domain/campaign-fields.ts";
import { CAMPAIGN_NAME_MAX, codePoints, isBlank, keysIn } from "../../../domain/message-text.ts";
import { findPlaceholders } from "../../../domain/placeholders.ts";
import { markOf, type Variable } from "../../../domain/variables.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";

/** `reduced`: by the upload of this page. */
export type FormFile = AttachmentSummary & { reduced?: boolean };

export type CampaignForm = {
  name: string;
  text: string;
  nameFallback: string;
  leaveHint: boolean;
  variables: Variable[];
  attachment: FormFile | null;
  /** Files that follow the first. */
  more: FormFile[];
  connection: string;
  list: string;
  audience: Audience;
  when: "now" | "at";
  date: string;
  time: string;
  intervalS: string;
  extraS: string;
};

export type Intent = CampaignInput["intent"];

export const DEFAULT_CONNECTION = "default";
/**
 * The chosen connection is gone: another number must not write to these people unnoticed. No row has this id,
 * so the server refuses it.
 */
export const GONE_CONNECTION = "0";

export const EMPTY_FORM: CampaignForm = {
  name: "",
  text: "",
  nameFallback: "",
  leaveHint: false,
  variables: [],
  attachment: null,
  more: [],
  connection: DEFAULT_CONNECTION,
  list: "",
  audience: EVERYONE,
  when: "now",
  date: "",
  time: "",
  intervalS: "60",
  extraS: "0",
};

/** A copy starts by hand, since its date has passed, and under a new name. */
export function formOf(campaign: Campaign, copy: boolean): CampaignForm {
  const form = storedForm(campaign);
  if (!copy) return form;
  const copied = fieldsIn("reuse").flatMap((field) => FIELD_PLACES[field] ?? []);
  const values = Object.fromEntries(copied.map((place) => [place, form[place]]));
  return { ...EMPTY_FORM, ...values, name: copyName(campaign.name) };
}

function storedForm(campaign: Campaign): CampaignForm {
  const wall = campaign.schedule.kind === "at" ? campaign.schedule.wall : null;
  const [date = "", time = ""] = wall?.split("T") ?? [];
  return {
    name: campaign.name,
    text: campaign.text,
    nameFallback: campaign.nameFallback,
    leaveHint: campaign.leaveHint,
    variables: campaign.variables,
    ...withFiles([campaign.attachment, ...campaign.moreAttachments].filter((file) => file !== null)),
    connection: connectionOf(campaign),
    list: campaign.listId === null ? "" : String(campaign.listId),
    audience: campaign.audience ?? EVERYONE,
    when: wall === null ? "now" : "at",
    date,
    time: time.slice(0, 5),
    intervalS: String(campaign.intervalS),
    extraS: String(campaign.extraS),
  };
}

/** A deleted connection keeps its name; «Conexão padrão» has none. */
function connectionOf({ connectionId, connectionName }: Campaign): string {
  if (connectionId !== null) return String(connectionId);
  return connectionName === null ? DEFAULT_CONNECTION : GONE_CONNECTION;
}

function copyName(name: string): string {
  const beyond = codePoints(t.copyName(name)) - CAMPAIGN_NAME_MAX;
  if (beyond <= 0) return t.copyName(name);
  return t.copyName(Array.from(name).slice(0, -beyond).join("").trimEnd());
}

export function usedVariables({ text, variables }: CampaignForm): Variable[] {
  const used = keysIn(text);
  return variables.filter(({ key }) => used.has(key));
}

export const filesOf = ({ attachment, more }: Pick<CampaignForm, "attachment" | "more">): FormFile[] =>
  attachment === null ? more : [attachment, ...more];

export const withFiles = (files: readonly FormFile[]): Pick<CampaignForm, "attachment" | "more"> => ({
  attachment: files[0] ?? null,
  more: files.slice(1, MAX_PARTS),
});

export type FormMessage = { text: string; file: FormFile | null };

/** What each person gets, in order. A sound shows no text beside it: the text goes before, as a message of its own. */
export function messagesOf(form: Pick<CampaignForm, "text" | "attachment" | "more">): FormMessage[] {
  const { text, attachment, more } = form;
  const alone = (file: FormFile): FormMessage => ({ text: "", file });
  const isApart = attachment !== null && !takesCaption(attachment.kind) && more.length < MAX_PARTS - 1;
  if (isApart && !isBlank(text)) return [{ text, file: null }, ...filesOf(form).map(alone)];
  return [{ text, file: attachment }, ...more.map(alone)];
}

/** The interval goes as typed: the server reports its errors. */
export function inputOf(form: CampaignForm, intent: Intent, zone: string, key: string): CampaignInput {
  const variables = usedVariables(form);
  const marks = new Set(variables.map(({ key }) => markOf(key)));
  const listId = form.list === "" ? null : Number(form.list);
  const [first, ...further] = messagesOf(form);
  return {
    name: form.name,
    text: form.text,
    nameFallback: form.nameFallback,
    leaveHint: form.leaveHint,
    ...(variables.length > 0 ? { variables } : {}),
    attachmentId: first?.file?.id ?? null,
    moreAttachmentIds: further.flatMap(({ file }) => file?.id ?? []),
    connectionId: form.connection === DEFAULT_CONNECTION ? null : Number(form.connection),
    listId,
    audience: normalizeAudience(form.audience, listId),
    schedule: form.when === "now" ? { kind: "now" } : { kind: "at", wall: `${form.date}T${form.time}`, zone },
    intervalS: form.intervalS.trim(),
    extraS: form.extraS.trim() === "" ? "0" : form.extraS.trim(),
    intent,
    ...(intent === "create" && findPlaceholders(form.text, marks).length > 0
      ? { keepPlaceholders: true }
      : {}),
    idempotencyKey: key,
  };
}

export const FIELD_PLACES: Readonly<Record<string, keyof CampaignForm>> = {
  name: "name",
  text: "text",
  nameFallback: "nameFallback",
  leaveHint: "leaveHint",
  variables: "variables",
  attachmentId: "attachment",
  parts: "more",
  moreAttachmentIds: "more",
  connectionId: "connection",
  listId: "list",
  audience: "audience",
  "schedule.wall": "date",
  "schedule.zone": "date",
  schedule: "date",
  intervalS: "intervalS",
  extraS: "extraS",
};
