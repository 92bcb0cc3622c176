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

// Another tab has chosen: the browser remembers one for all.
addEventListener("storage", ({ key, newValue }) => {
  if (key === KEY) show(newValue === "light" || newValue === "dark" ? newValue : "system");
});

/** Chooses the theme and remembers it; `public/theme.js` sets it before the next page's first paint. */
export function setTheme(theme: Theme) {
  show(theme);
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
}

/** Remembers it once more. Signing out has this browser forget what pages kept of somebody; how they look is nobody's secret. */
export const keepTheme = () => setTheme(read());

/** The chosen theme; `system` until somebody chooses. */
export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    watchers.add(changed);
    return () => watchers.delete(changed);
  }, read);
}
