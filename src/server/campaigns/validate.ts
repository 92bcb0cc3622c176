import type { CampaignInput, Schedule } from "../../contract/campaigns.ts";
import type { FieldError } from "../../contract/error-messages.ts";
import { campaignNameError, messageErrors } from "../../contract/text-errors.ts";
import { isTimeZone } from "../../domain/account.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import { hasSources, storedAudience } from "../../domain/audience.ts";
import { INTERVAL_MAX_S } from "../../domain/campaign.ts";
import { AppError } from "../../domain/errors.ts";
import { keysIn, normalizeLine, normalizeText } from "../../domain/message-text.ts";
import { distinctPlaceholders } from "../../domain/placeholders.ts";
import { scheduledInstant } from "../../domain/schedule.ts";
import {
  FALLBACK_MAX,
  fallbackError,
  markOf,
  normalizeVariable,
  SURNAME,
  type TypedVariable,
  typed,
} from "../../domain/variables.ts";
import type { Content } from "./columns.ts";
import type { FieldKinds, References } from "./save-repo.ts";

type FieldErrors = Record<string, FieldError>;

/**
 * A draft's incomplete parts stay as typed. Throws `invalid_fields` with all fields, and `not_found` for
 * another account's file, connection or list.
 */
export function validate(input: CampaignInput, known: References, now: Date): Content {
  if (input.attachmentId !== null && known.attachment === null)
    throw new AppError("not_found", { field: "attachmentId" });
  if (known.more.includes(null)) throw new AppError("not_found", { field: "moreAttachmentIds" });
  if (input.connectionId !== null && known.connection === null) {
    throw new AppError("not_found", { field: "connectionId" });
  }
  if (input.listId !== null && known.list === null) throw new AppError("not_found", { field: "listId" });

  const creating = input.intent === "create";
  const errors: FieldErrors = {};
  const content: Content = {
    ...words(input, known.attachment, errors),
    leaveHint: input.leaveHint,
    variables: variablesOf(input, known.fields, errors),
    attachmentId: input.attachmentId,
    parts: 1 + input.moreAttachmentIds.length,
    connectionId: input.connectionId,
    listId: input.listId,
    audience: storedAudience(input.audience ?? null, input.listId),
    intervalS: seconds(input.intervalS, "intervalS", errors),
    extraS: seconds(input.extraS, "extraS", errors),
    ...timing(input.schedule, known.zone, creating ? now : null, errors),
  };
  if (creating) {
    if (!hasSources(input.listId, content.audience)) errors.listId = "campaign_list_required";
    else if (known.list === 0 && content.audience === null) errors.listId = "campaign_list_empty";
  }
  if (Object.keys(errors).length > 0) throw new AppError("invalid_fields", { fields: errors });
  if (creating && !input.keepPlaceholders) refusePlaceholders(content);
  // A disconnected connection is fine, none at all is not.
  if (creating && known.connections === 0) throw new AppError("campaign_no_default_connection");
  return content;
}

/** Throws `campaign_placeholders` {placeholders: found and replacement of each, list}. */
function refusePlaceholders({ text, variables }: Content): void {
  const left = distinctPlaceholders(text, new Set(variables.map(({ key }) => markOf(key))));
  if (left.length === 0) return;
  throw new AppError("campaign_placeholders", {
    placeholders: left.map(({ found, replacement }) => ({ found, replacement })),
    list: left.map(({ found }) => found).join(" "),
  });
}

function words(
  input: CampaignInput,
  attachment: AttachmentKind | null,
  errors: FieldErrors,
): Pick<Content, "name" | "text" | "nameFallback"> {
  note(errors, { name: campaignNameError(input.name) });
  return { name: normalizeLine(input.name), ...validateMessage(input, attachment, errors) };
}

function variablesOf(input: CampaignInput, fields: FieldKinds, errors: FieldErrors): TypedVariable[] {
  const used = keysIn(normalizeText(input.text));
  const all = (input.variables ?? []).map(normalizeVariable);
  for (const [at, variable] of all.entries()) {
    const error = fallbackError(variable);
    if (error === "too_long") errors[`variables.${at}.fallback`] = { code: error, n: FALLBACK_MAX };
    else if (error) errors[`variables.${at}.fallback`] = error;
    if (input.intent === "create" && variable.key !== SURNAME && !Object.hasOwn(fields, variable.key))
      errors[`variables.${at}.key`] = "unknown_field";
  }
  if (new Set(all.map(({ key }) => key)).size < all.length) errors.variables = "field_twice";
  return all.filter(({ key }) => used.has(key)).map((variable) => typed(variable, fields));
}

type Message = Pick<CampaignInput, "text" | "nameFallback" | "leaveHint" | "intent">;

/** Adds invalid fields to `errors`. */
export function validateMessage(
  input: Message,
  attachment: AttachmentKind | null,
  errors: FieldErrors,
): Pick<Content, "text" | "nameFallback"> {
  note(errors, messageErrors({ ...input, attachment }, input.intent));
  return { text: normalizeText(input.text), nameFallback: normalizeLine(input.nameFallback) };
}

function note(errors: FieldErrors, found: Record<string, FieldError | null>): void {
  for (const [field, error] of Object.entries(found)) if (error !== null) errors[field] = error;
}

/** Whole seconds; `1,5` and `0.5` are errors, not rounded silently. */
function seconds(typed: number | string, field: string, errors: FieldErrors): number {
  const text = String(typed).trim();
  const value = /^[+-]?\d+(e\+?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (text === "") errors[field] = "required";
  else if (Number.isNaN(value)) errors[field] = "seconds_not_integer";
  else if (value < 0) errors[field] = { code: "too_small", n: 0 };
  else if (value > INTERVAL_MAX_S) errors[field] = { code: "too_large", n: INTERVAL_MAX_S };
  return value;
}

type Timing = Pick<Content, "scheduledWall" | "zone" | "scheduledAt" | "status">;

/** `now` null: a draft's schedule, validated at creation. */
function timing(schedule: Schedule, accountZone: string, now: Date | null, errors: FieldErrors): Timing {
  if (schedule.kind === "now")
    return { scheduledWall: null, zone: accountZone, scheduledAt: null, status: "draft" };
  const { wall, zone } = schedule;
  if (now === null) {
    // An unknown zone would break every later conversion.
    if (zone !== "" && !isTimeZone(zone)) errors["schedule.zone"] = "campaign_schedule_zone";
    return { scheduledWall: wall, zone: zone || accountZone, scheduledAt: null, status: "draft" };
  }
  const result = scheduledInstant(wall, zone, now);
  if (!result.ok) {
    errors[result.error === "campaign_schedule_zone" ? "schedule.zone" : "schedule.wall"] = result.error;
    return { scheduledWall: wall, zone, scheduledAt: null, status: "draft" };
  }
  return { scheduledWall: wall.trim(), zone, scheduledAt: result.at, status: "scheduled" };
}
