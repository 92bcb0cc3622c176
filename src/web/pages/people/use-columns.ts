import { useState } from "react";

/** Keys of fields that may hold no `$`, and of the own columns of every person. */
export const CREATED = "$created";

const KEY = "people-hidden-columns";

/** Hidden columns of this browser, so that a new field is shown. */
export function useColumns() {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(readHidden);
  const toggle = (key: string) => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    setHidden(next);
    try {
      localStorage.setItem(KEY, JSON.stringify([...next]));
    } catch {
      // No storage.
    }
  };
  return { isShown: (key: string) => !hidden.has(key), toggle };
}

export type Columns = ReturnType<typeof useColumns>;

function readHidden(): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return new Set(Array.isArray(kept) ? kept.filter((key) => typeof key === "string") : []);
  } catch {
    return new Set();
  }
}
