import { useState } from "react";

export const VIEWS = ["cards", "list"] as const;
export type View = (typeof VIEWS)[number];

const KEY = "campaigns-view";

export function useView(): [View, (view: View) => void] {
  const [view, setView] = useState(readView);
  const choose = (next: View) => {
    setView(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // No storage.
    }
  };
  return [view, choose];
}

function readView(): View {
  try {
    const kept = localStorage.getItem(KEY);
    return VIEWS.find((view) => view === kept) ?? "cards";
  } catch {
    return "cards";
  }
}
