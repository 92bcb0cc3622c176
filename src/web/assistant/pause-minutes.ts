const MOST_MINUTES = 10_080;

/** Parses minutes with either language's thousands separator; null unless whole and within a week. */
export function readPauseMinutes(typed: string): number | null {
  const text = typed.trim();
  if (!/^(\d{1,6}|\d{1,2}[.,]\d{3})$/.test(text)) return null;
  const minutes = Number(text.replace(/[.,]/, ""));
  return minutes <= MOST_MINUTES ? minutes : null;
}
