import { useQuery, useQueryClient } from "@tanstack/react-query";
import { WEEKLY_MOST } from "../../../domain/audience.ts";
import { api } from "../../api/call.ts";
import { settingsText } from "../../messages/settings.ts";
import { ChoiceSection } from "./choice-section.tsx";
import { weeklyLimitQuery } from "./queries.ts";

const t = settingsText.weekly;

const OPTIONS = [
  { value: "", label: t.off },
  ...Array.from({ length: WEEKLY_MOST }, (_, at) => ({ value: String(at + 1), label: t.most(at + 1) })),
];

export function WeeklyLimitSection() {
  const queries = useQueryClient();
  const query = useQuery(weeklyLimitQuery);
  const store = async (value: string) => {
    const body = { campaignsPerWeek: value === "" ? null : Number(value) };
    queries.setQueryData(weeklyLimitQuery.queryKey, await api("PUT /api/settings/weekly-limit", { body }));
    void queries.invalidateQueries({ queryKey: ["contacts", "audience"] });
  };
  return (
    <ChoiceSection
      words={t}
      options={OPTIONS}
      query={query}
      shownAs={({ campaignsPerWeek }) => String(campaignsPerWeek ?? "")}
      store={store}
    />
  );
}
