/** What was typed in a campaign's form and not saved is kept in this browser for a week, and until its person signs out. */
export const KEPT_MS = 7 * 86_400_000;

/** Where a form is kept: apart for each account and for each campaign that is edited or copied. */
export const keptPlace = (accountId: string, what: string) => `recado-form:${accountId}:${what}`;

/** Of what is changed in a draft, or in a campaign that waits for its hour. */
export const draftPlace = (accountId: string, campaignId: number) =>
  keptPlace(accountId, `rascunho-${campaignId}`);

/** Whether anything that somebody of this account wrote is kept here. Apart from the forms: every screen asks it, none needs them. */
export function anythingKept(accountId: string, now: number): boolean {
  try {
    return Object.entries(localStorage).some(([place, text]) => {
      if (!place.startsWith(keptPlace(accountId, ""))) return false;
      const { at, form, asItWas } = JSON.parse(text) as {
        at: number;
        asItWas?: boolean;
        form: { name: string; text: string; image: unknown };
      };
      return now - at <= KEPT_MS && !asItWas && Boolean(form.name || form.text || form.image);
    });
  } catch {
    // No storage, or not ours: nothing is kept.
    return false;
  }
}

export function forget(place: string): void {
  try {
    localStorage.removeItem(place);
  } catch {
    // Nothing was kept either.
  }
}
