import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { whenSessionEnds } from "../api/session-end.ts";

/**
 * What was written in the form of this name, and not saved, when the session ended: whoever logs in again is told to go on from there.
 * Lives with what was fetched, so that the next one to sign in finds nothing of it. `note` takes what differs from what is saved.
 */
export function useFormDraft<V extends object>(form: string) {
  const queries = useQueryClient();
  const [key] = useState(() => ["unfinished", form]);
  const [found] = useState(() => queries.getQueryData<Partial<V>>(key));
  const written = useRef<Partial<V>>({});
  useEffect(() => {
    queries.removeQueries({ queryKey: key });
    return whenSessionEnds(() => {
      // However long it takes them.
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

/** The window that is open on this screen; as the session ended one was, it is for whoever logs in again. */
export function useRestoredDialog<W>(screen: string) {
  const unfinished = useFormDraft<{ window: W }>(`${screen} window`);
  const state = useState<W | null>(unfinished.found?.window ?? null);
  const [window] = state;
  unfinished.note(window === null ? {} : { window });
  return state;
}
