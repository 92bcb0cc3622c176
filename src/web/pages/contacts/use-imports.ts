import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { importsQuery } from "../../api/contacts.ts";
import { useMe } from "../../api/me.ts";
import { isRunning } from "./import-progress.ts";

/** Stores imports started here whose result is unread, per account. */
const placeOf = (accountId: string) => `recado-imports:${accountId}`;

/** Stores read ones: an outdated answer must not show them again. */
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
    // No storage: in memory.
  }
}

function useReadElsewhere(place: string, onRead: (ids: readonly number[]) => void) {
  useEffect(() => {
    const look = ({ key }: StorageEvent) => {
      if (key === place) onRead(idsAt(place));
    };
    addEventListener("storage", look);
    return () => removeEventListener("storage", look);
  }, [place, onRead]);
}

/** Imports in progress and finished ones whose result is unread, even after a reload. */
export function useImports() {
  const { id: account } = useMe();
  const [followed, setFollowed] = useState(() => idsAt(placeOf(account)));
  const [read, setRead] = useState<readonly number[]>(() => idsAt(placeOfRead(account)));
  const { data } = useQuery({
    ...importsQuery,
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
  const pruneRead = useCallback((ids: readonly number[]) => {
    setRead(ids);
    setFollowed((before) =>
      before.some((id) => ids.includes(id)) ? before.filter((id) => !ids.includes(id)) : before,
    );
  }, []);
  useReadElsewhere(placeOfRead(account), pruneRead);
  const noteRead = useCallback(
    (id: number) => {
      // Read again: another tab may have written.
      const ids = [...idsAt(placeOfRead(account)).filter((one) => one !== id), id].slice(-READ_KEPT);
      keepIds(placeOfRead(account), ids);
      pruneRead(ids);
    },
    [account, pruneRead],
  );
  return {
    running,
    ended: items.filter((one) => !isRunning(one) && followed.includes(one.id)),
    noteRead,
  };
}

export type Imports = ReturnType<typeof useImports>;
