let ahead = 0;

export function noteServerTime(response: Response) {
  const at = Date.parse(response.headers.get("date") ?? "");
  // The header has whole seconds: add half of one.
  if (!Number.isNaN(at)) ahead = at + 500 - Date.now();
}

/** Server time in milliseconds, accurate to about a second. */
export const serverNow = () => Date.now() + ahead;
