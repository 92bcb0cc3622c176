/** Unsaved campaign input stays in this browser for a week or until sign-out. */
export const KEPT_MS = 7 * 86_400_000;

/** Per account and per edited or copied campaign. */
export const keptPlace = (accountId: string, what: string) => `recado-form:${accountId}:${what}`;

export const draftPlace = (accountId: string, campaignId: number) =>
  keptPlace(accountId, `rascunho-${campaignId}`);

/** Apart from the forms: every screen asks it. */
export function anythingKept(accountId: string, now: number): boolean {
  try {
    return Object.entries(localStorage).some(([place, text]) => {
      if (!place.startsWith(keptPlace(accountId, ""))) return false;
      const { at, form, asItWas } = JSON.parse(text) as {
        at: number;
        asItWas?: boolean;
        form: { name: string; text: string; attachment: unknown };
      };
      return now - at <= KEPT_MS && !asItWas && Boolean(form.name || form.text || form.attachment);
    });
  } catch {
    // No storage, or foreign content.
    return false;
  }
}

export function forget(place: string): void {
  try {
    localStorage.removeItem(place);
  } catch {
    // No storage.
  }
}
