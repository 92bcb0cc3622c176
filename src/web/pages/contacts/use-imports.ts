import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { isRunning } from "./import-progress.ts";

/** Where the imports are remembered that were seen under way here and of whose end nobody has read; apart for each account. */
const placeOf = (accountId: string) => `recado-imports:${accountId}`;

/** Those that were read: a stale answer of the server must not bring their band back when the screen is opened again. */
const placeOfRead = (accountId: string) => `recado-imports-read:${accountId}`;
const READ_KEPT = 50;

function idsAt(place: string): readonly number[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => Number.isSafeInteger(id)) : [];
  } catch {
    return [];
  }
}

function keepIds(place: string, ids: readonly number[]): void {
  try {
    if (ids.length === 0) localStorage.removeItem(place);
    else localStorage.setItem(place, JSON.stringify(ids));
  } catch {
    // No storage: they are remembered as long as the page.
  }
}

/** Another tab may have shown the report. */
function useReadElsewhere(place: string, onRead: (ids: readonly number[]) => void) {
  useEffect(() => {
    const look = ({ key }: StorageEvent) => {
      if (key === place) onRead(idsAt(place));
    };
    addEventListener("storage", look);
    return () => removeEventListener("storage", look);
  }, [place, onRead]);
}

/**
 * The newest imports: those under way, and those that ended behind a closed window. What came of one must be told all the same, also when
 * the page was opened anew meanwhile.
 */
export function useImports() {
  const { id: account } = useMe();
  const [followed, setFollowed] = useState(() => idsAt(placeOf(account)));
  const [read, setRead] = useState<readonly number[]>(() => idsAt(placeOfRead(account)));
  const { data } = useQuery({
    queryKey: ["imports", "recent"],
    queryFn: ({ signal }) => api("GET /api/contact-imports", { signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? 2_000 : false),
  });
  const items = data?.items ?? [];
  const running = items.filter(isRunning);
  const met = running.map(({ id }) => id).filter((id) => !followed.includes(id) && !read.includes(id));
  const news = met.join();
  useEffect(() => {
    if (news !== "") setFollowed((before) => [...before, ...news.split(",").map(Number)]);
  }, [news]);
  useEffect(() => keepIds(placeOf(account), followed), [account, followed]);
  const forgetRead = useCallback((ids: readonly number[]) => {
    setRead(ids);
    setFollowed((before) =>
      before.some((id) => ids.includes(id)) ? before.filter((id) => !ids.includes(id)) : before,
    );
  }, []);
  useReadElsewhere(placeOfRead(account), forgetRead);
  /** Somebody has read what came of it. */
  const noteRead = useCallback(
    (id: number) => {
      // As it is stored by now: another tab may have written since.
      const ids = [...idsAt(placeOfRead(account)).filter((one) => one !== id), id].slice(-READ_KEPT);
      keepIds(placeOfRead(account), ids);
      forgetRead(ids);
    },
    [account, forgetRead],
  );
  return {
    running,
    ended: items.filter((one) => !isRunning(one) && followed.includes(one.id)),
    noteRead,
  };
}

export type Imports = ReturnType<typeof useImports>;
