import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ContactField } from "../../../contract/contact-fields.ts";
import { type FieldTexts, keysIn } from "../../../domain/message-text.ts";
import { SURNAME, type Variable } from "../../../domain/variables.ts";
import { api } from "../../api/call.ts";
import { fieldsQuery } from "../../api/people.ts";
import { newCampaignText } from "../../messages/new-campaign.ts";
import { type CampaignForm, usedVariables } from "./form.ts";

export type Known = Pick<ContactField, "key" | "label">;

export function useKnown(): readonly Known[] {
  const fields: readonly Known[] = useQuery(fieldsQuery).data ?? [];
  return [{ key: SURNAME, label: newCampaignText.surname }, ...fields];
}

export type Variables = {
  known: readonly Known[];
  used: readonly Known[];
  missing: (key: string) => number | undefined;
  textsFor: (phone: string | undefined) => FieldTexts | null;
  lackedBy: (phone: string | undefined) => string[];
};

export function useVariables(form: CampaignForm, known: readonly Known[]): Variables {
  const keys = keysIn(form.text);
  const used = known.filter(({ key }) => keys.has(key));
  const asked = used.map(({ key }) => key).join(",");
  const query = useQuery({
    queryKey: ["contacts", "values", form.list, asked],
    queryFn: ({ signal }) =>
      api("GET /api/contact-lists/{id}/values", {
        params: { id: form.list },
        query: { keys: asked },
        signal,
      }),
    enabled: form.list !== "" && asked !== "",
    placeholderData: keepPreviousData,
  });
  const data = form.list === "" ? undefined : query.data;
  const chosen = usedVariables(form);
  const own = (phone: string | undefined) => data?.items.find((each) => each.phone === phone)?.texts;
  return {
    known,
    used,
    missing: (key) => data?.missing[key],
    textsFor: (phone) => (used.length === 0 ? null : { ...fallbacks(chosen), ...own(phone) }),
    lackedBy: (phone) => {
      const texts = own(phone);
      if (!texts) return [];
      const needed = chosen.filter(({ key, fallback }) => fallback === null && !Object.hasOwn(texts, key));
      return needed.map(({ key }) => used.find((field) => field.key === key)?.label ?? key);
    },
  };
}

const fallbacks = (chosen: readonly Variable[]): Record<string, string> =>
  Object.fromEntries(chosen.flatMap(({ key, fallback }) => (fallback ? [[key, fallback]] : [])));
