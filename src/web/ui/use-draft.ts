import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { whenSessionEnds } from "../api/session-end.ts";

/** Kept for the same person's next login. `note` takes what differs from the saved values. */
export function useFormDraft<V extends object>(form: string) {
  const queries = useQueryClient();
  const [key] = useState(() => ["unfinished", form]);
  const [found] = useState(() => queries.getQueryData<Partial<V>>(key));
  const written = useRef<Partial<V>>({});
  useEffect(() => {
    queries.removeQueries({ queryKey: key });
    return whenSessionEnds(() => {
      queries.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
      queries.setQueryData(key, written.current);
    });
  }, [queries, key]);
  return {
    found,
    note: (now: Partial<V>) => {
      written.current = now;
    },
  };
}

export function useRestoredDialog<W>(screen: string) {
  const unfinished = useFormDraft<{ window: W }>(`${screen} window`);
  const state = useState<W | null>(unfinished.found?.window ?? null);
  const [window] = state;
  unfinished.note(window === null ? {} : { window });
  return state;
}
