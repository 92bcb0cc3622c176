import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { isRunning } from "./import-progress.ts";

/** Where the imports are remembered that were seen under way here and of whose end nobody has read; apart for each account. */
const placeOf = (accountId: string) => `recado-imports:${accountId}`;

function readFollowed(accountId: string): readonly number[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(accountId)) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => Number.isSafeInteger(id)) : [];
  } catch {
    return [];
  }
}

function keepFollowed(accountId: string, ids: readonly number[]): void {
  try {
    if (ids.length === 0) localStorage.removeItem(placeOf(accountId));
    else localStorage.setItem(placeOf(accountId), JSON.stringify(ids));
  } catch {
    // No storage: they are remembered as long as the page.
  }
}

/**
 * The newest imports: those under way, and those that ended behind a closed window. What came of one must be told all the same, also when
 * the page was opened anew meanwhile.
 */
export function useImports() {
  const { id: account } = useMe();
  const [followed, setFollowed] = useState(() => readFollowed(account));
  const [read, setRead] = useState<ReadonlySet<number>>(new Set());
  const { data } = useQuery({
    queryKey: ["imports", "recent"],
    queryFn: ({ signal }) => api("GET /api/contact-imports", { signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? 2_000 : false),
  });
  const items = data?.items ?? [];
  const running = items.filter(isRunning);
  const met = running.map(({ id }) => id).filter((id) => !followed.includes(id) && !read.has(id));
  const news = met.join();
  useEffect(() => {
    if (news !== "") setFollowed((before) => [...before, ...news.split(",").map(Number)]);
  }, [news]);
  useEffect(() => keepFollowed(account, followed), [account, followed]);
  /** Somebody has read what came of it. */
  const noteRead = useCallback((id: number) => {
    setRead((before) => new Set([...before, id]));
    setFollowed((before) => (before.includes(id) ? before.filter((one) => one !== id) : before));
  }, []);
  return {
    running,
    ended: items.filter((one) => !isRunning(one) && followed.includes(one.id)),
    noteRead,
  };
}

export type Imports = ReturnType<typeof useImports>;
