/**
 * Goes to a form's first faulty field, after the faults are drawn. `from`: where the keyboard was when the form was sent. A late answer
 * takes nobody out of another field in which they write meanwhile: a space would press a button, and letters go where they do not belong.
 */
export function focusFirstError(form: HTMLElement | null, from: Element | null): void {
  setTimeout(() => {
    const { activeElement: now } = document;
    if (now !== from && now?.matches("input, textarea, select")) return;
    form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  });
}
