import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { WEEKLY_MOST } from "../../../domain/audience.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { settingsText } from "../../messages/settings.ts";
import { SectionCard } from "../../ui/card.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import { Select } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { weeklyLimitQuery } from "./queries.ts";

const t = settingsText.weekly;

const OPTIONS = [
  { value: "", label: t.off },
  ...Array.from({ length: WEEKLY_MOST }, (_, at) => ({ value: String(at + 1), label: t.most(at + 1) })),
];

export function WeeklyLimitSection() {
  const queries = useQueryClient();
  const query = useQuery(weeklyLimitQuery);
  const [wanted, setWanted] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const choose = async (value: string) => {
    setWanted(value);
    setError(null);
    try {
      const body = { campaignsPerWeek: value === "" ? null : Number(value) };
      queries.setQueryData(weeklyLimitQuery.queryKey, await api("PUT /api/settings/weekly-limit", { body }));
      void queries.invalidateQueries({ queryKey: ["contacts", "audience"] });
      toastDone(settingsText.saved);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setWanted(null);
    }
  };
  const stored = query.data?.campaignsPerWeek;
  return (
    <SectionCard title={t.title} explained={t.explained}>
      {query.error && !query.data && <QueryError title={t.loadFailed} query={query} />}
      {error !== null && <SmallError title={settingsText.saveFailed} text={errorTextOf(error, "")} />}
      <Select
        label={t.label}
        options={OPTIONS}
        value={wanted ?? String(stored ?? "")}
        disabled={wanted !== null || !query.data}
        onChange={(event) => void choose(event.target.value)}
      />
    </SectionCard>
  );
}
