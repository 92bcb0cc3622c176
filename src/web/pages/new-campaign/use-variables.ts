import type { AudienceCount } from "../../../contract/audiences.ts";
import { type FieldTexts, keysIn } from "../../../domain/message-text.ts";
import type { Variable } from "../../../domain/variables.ts";
import type { Known } from "../../library/use-known.ts";
import { type CampaignForm, usedVariables } from "./form.ts";

export type Variables = {
  known: readonly Known[];
  used: readonly Known[];
  missing: (key: string) => number | undefined;
  textsFor: (phone: string | undefined) => FieldTexts | null;
};

export function usedFields(form: CampaignForm, known: readonly Known[]): readonly Known[] {
  const keys = keysIn(form.text);
  return known.filter(({ key }) => keys.has(key));
}

export function variablesOf(
  form: CampaignForm,
  known: readonly Known[],
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
