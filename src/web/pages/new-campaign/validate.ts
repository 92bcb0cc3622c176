import type { FieldError } from "../../../contract/error-messages.ts";
import { campaignNameError, messageErrors } from "../../../contract/text-errors.ts";
import { hasSources } from "../../../domain/audience.ts";
import { INTERVAL_MAX_S } from "../../../domain/campaign.ts";
import { keysIn } from "../../../domain/message-text.ts";
import { FALLBACK_MAX, fallbackError, type Variable } from "../../../domain/variables.ts";
import { readDay, readTime } from "../../lib/typed-day.ts";
import { audienceText } from "../../messages/audience.ts";
import { newCampaignText } from "../../messages/new-campaign.ts";
import { serverWords } from "../../messages/server.ts";
import { listIdOf } from "./audience-edit.ts";
import { type CampaignForm, GONE_CONNECTION, type Intent, messagesOf, usedVariables } from "./form.ts";
import { meantInstant } from "./wall-time.ts";

export type FieldErrors = Partial<Record<keyof CampaignForm, string>>;

/** Validation errors in the server's texts. The server validates again; this spares the wait. */
export function errorsOf(
  form: CampaignForm,
  intent: Intent,
  zone: string,
  now: Date,
  fields: readonly string[] = [],
  gone = false,
): FieldErrors {
  const found: { [N in keyof CampaignForm]?: FieldError | null } = {
    name: campaignNameError(form.name),
    ...messageErrors({ ...form, attachment: messagesOf(form)[0]?.file?.kind ?? null }, intent),
    intervalS: secondsError(form.intervalS),
    extraS: form.extraS.trim() === "" ? null : secondsError(form.extraS),
  };
  if (intent === "create") {
    if (!hasSources(listIdOf(form), form.audience)) found.list = "campaign_list_required";
    if (form.when === "at") Object.assign(found, timeError(form, zone, now));
    found.variables = usedVariables(form).map(fallbackFieldError).find(Boolean) ?? null;
  }
  const said: FieldErrors = {};
  for (const [field, error] of Object.entries(found))
    if (error) said[field as keyof CampaignForm] = serverWords.fieldText(error);
  if (intent === "create" && undecidedOf(form, fields).length > 0) said.variables = newCampaignText.undecided;
  // Drafts too: it could not be shown on opening.
  if (form.when === "at") Object.assign(said, unread(form));
  if (gone) said.audience = audienceText.gone;
  // Drafts too: without it they would use «Conexão padrão».
  if (form.connection === GONE_CONNECTION) said.connection = newCampaignText.connectionGone;
  return said;
}

export function undecidedOf({ text, variables }: CampaignForm, fields: readonly string[]): string[] {
  const used = keysIn(text);
  return fields.filter((key) => used.has(key) && !variables.some((each) => each.key === key));
}

export function fallbackFieldError(variable: Variable): FieldError | null {
  const error = fallbackError(variable);
  return error === "too_long" ? { code: error, n: FALLBACK_MAX } : error;
}

function unread({ date, time }: CampaignForm): FieldErrors {
  return {
    ...(date !== "" && readDay(date) !== date ? { date: newCampaignText.dateUnread } : {}),
    ...(time !== "" && readTime(time) !== time ? { time: newCampaignText.timeUnread } : {}),
  };
}

function secondsError(typed: string): FieldError | null {
  const text = typed.trim();
  if (text === "") return "required";
  if (!/^[+-]?\d+$/.test(text)) return "seconds_not_integer";
  if (Number(text) < 0) return { code: "too_small", n: 0 };
  return Number(text) > INTERVAL_MAX_S ? { code: "too_large", n: INTERVAL_MAX_S } : null;
}

function timeError(form: CampaignForm, zone: string, now: Date): { [N in "date" | "time"]?: FieldError } {
  const meant = meantInstant(form.date, form.time, zone, now);
  if (meant.ok) return {};
  if (meant.error !== "campaign_schedule_required") return { date: meant.error };
  return {
    ...(form.date === "" ? { date: "required" as const } : {}),
    ...(form.time === "" ? { time: "required" as const } : {}),
    ...(form.date !== "" && form.time !== "" ? { date: meant.error } : {}),
  };
}
