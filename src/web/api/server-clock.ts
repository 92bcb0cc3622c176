let ahead = 0;

/** Reads the server's clock from an answer. Computers of an office are often minutes off, and a code lives 20 seconds. */
export function noteServerTime(response: Response) {
  const at = Date.parse(response.headers.get("date") ?? "");
  // The header has no parts of a second: half of one is the best guess.
  if (!Number.isNaN(at)) ahead = at + 500 - Date.now();
}

/** Now by the server's clock, in milliseconds; good to a second or so. */
export const serverNow = () => Date.now() + ahead;
