import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { errorTextOf } from "../../api/api-error.ts";
import { settingsText } from "../../messages/settings.ts";
import { SectionCard } from "../../ui/card.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import { Select } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";

type Props<T> = {
  words: { title: string; explained: string; label: string; loadFailed: string };
  options: { value: string; label: string }[];
  query: UseQueryResult<T>;
  shownAs: (stored: T) => string;
  store: (value: string) => Promise<unknown>;
};

/** One choice that is stored as soon as it is made. */
export function ChoiceSection<T>({ words, options, query, shownAs, store }: Props<T>) {
  const [wanted, setWanted] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const choose = async (value: string) => {
    setWanted(value);
    setError(null);
    try {
      await store(value);
      toastDone(settingsText.saved);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setWanted(null);
    }
  };
  return (
    <SectionCard title={words.title} explained={words.explained}>
      {query.error && !query.data && <QueryError title={words.loadFailed} query={query} />}
      {error !== null && <SmallError title={settingsText.saveFailed} text={errorTextOf(error, "")} />}
      <Select
        label={words.label}
        options={options}
        value={wanted ?? (query.data === undefined ? "" : shownAs(query.data))}
        disabled={wanted !== null || !query.data}
        onChange={(event) => void choose(event.target.value)}
      />
    </SectionCard>
  );
}
