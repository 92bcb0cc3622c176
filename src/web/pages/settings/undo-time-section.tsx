import { useQuery, useQueryClient } from "@tanstack/react-query";
import { UNDO_S } from "../../../domain/campaign.ts";
import { api } from "../../api/call.ts";
import { undoTimeQuery } from "../../api/undo-time.ts";
import { settingsText } from "../../messages/settings.ts";
import { ChoiceSection } from "./choice-section.tsx";

const t = settingsText.undoTime;
const OFFERED = [0, 5, 10, UNDO_S.default, 30, 60, 120, UNDO_S.most];

export function UndoTimeSection() {
  const queries = useQueryClient();
  const query = useQuery(undoTimeQuery);
  const stored = query.data?.seconds;
  // A program may have stored any other number.
  const offered = stored === undefined ? OFFERED : [...new Set([...OFFERED, stored])].sort((a, b) => a - b);
  return (
    <ChoiceSection
      words={t}
      options={offered.map((seconds) => ({ value: String(seconds), label: t.seconds(seconds) }))}
      query={query}
      shownAs={({ seconds }) => String(seconds)}
      store={async (value) => {
        const body = { seconds: Number(value) };
        queries.setQueryData(undoTimeQuery.queryKey, await api("PUT /api/settings/undo-time", { body }));
      }}
    />
  );
}
