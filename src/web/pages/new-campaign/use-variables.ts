import { useQuery } from "@tanstack/react-query";
import type { AudienceCount } from "../../../contract/audiences.ts";
import type { ContactField } from "../../../contract/contact-fields.ts";
import { type FieldTexts, keysIn } from "../../../domain/message-text.ts";
import type { Variable } from "../../../domain/variables.ts";
import { fieldsQuery } from "../../api/people.ts";
import { type CampaignForm, usedVariables } from "./form.ts";

const NONE: readonly ContactField[] = [];

export const useKnownFields = (): readonly ContactField[] => useQuery(fieldsQuery).data ?? NONE;

export type Variables = {
  known: readonly ContactField[];
  used: readonly ContactField[];
  missing: (key: string) => number | undefined;
  textsFor: (phone: string | undefined) => FieldTexts | null;
};

export function usedFields(form: CampaignForm, known: readonly ContactField[]): readonly ContactField[] {
  const keys = keysIn(form.text);
  return known.filter(({ key }) => keys.has(key));
}

export function variablesOf(
  form: CampaignForm,
  known: readonly ContactField[],
  count: AudienceCount | undefined,
): Variables {
  const used = usedFields(form, known);
  const fallbackTexts = fallbacks(usedVariables(form));
  const own = (phone: string | undefined) => count?.items.find((each) => each.phone === phone)?.texts;
  return {
    known,
    used,
    missing: (key) => count?.missing[key],
    textsFor: (phone) => (used.length === 0 ? null : { ...fallbackTexts, ...own(phone) }),
  };
}

const fallbacks = (chosen: readonly Variable[]): Record<string, string> =>
  Object.fromEntries(chosen.flatMap(({ key, fallback }) => (fallback ? [[key, fallback]] : [])));
