/** Test recipient if not the connected number; per account. */
const placeOf = (accountId: string) => `recado-test-number:${accountId}`;

export function readTestNumber(accountId: string): string | null {
  try {
    return localStorage.getItem(placeOf(accountId));
  } catch {
    return null;
  }
}

export function storeTestNumber(accountId: string, typed: string | null): void {
  try {
    if (typed === null) localStorage.removeItem(placeOf(accountId));
    else localStorage.setItem(placeOf(accountId), typed);
  } catch {
    // No storage.
  }
}
