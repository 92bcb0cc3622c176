/** The number that tests go to from this browser, where it is another than the connected one; apart for each account. */
const placeOf = (accountId: string) => `recado-test-number:${accountId}`;

/** As it was typed; null when none was, or storage is forbidden. */
export function readTestNumber(accountId: string): string | null {
  try {
    return localStorage.getItem(placeOf(accountId));
  } catch {
    return null;
  }
}

/** null: whichever number is connected. */
export function keepTestNumber(accountId: string, typed: string | null): void {
  try {
    if (typed === null) localStorage.removeItem(placeOf(accountId));
    else localStorage.setItem(placeOf(accountId), typed);
  } catch {
    // No storage: it is typed again the next time.
  }
}
