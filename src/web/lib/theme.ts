import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "recado-theme";
const watchers = new Set<() => void>();

function read(): Theme {
  const set = document.documentElement.dataset.theme;
  return set === "light" || set === "dark" ? set : "system";
}

function show(theme: Theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const watcher of watchers) watcher();
}

addEventListener("storage", ({ key, newValue }) => {
  if (key === KEY) show(newValue === "light" || newValue === "dark" ? newValue : "system");
});

/** Stored; `public/theme.js` applies it before the first paint. */
export function setTheme(theme: Theme) {
  show(theme);
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // No storage.
  }
}

/** Stores it again: sign-out clears what pages stored, but the theme is not private. */
export const storeTheme = () => setTheme(read());

export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    watchers.add(changed);
    return () => watchers.delete(changed);
  }, read);
}
