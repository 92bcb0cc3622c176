/**
 * Focuses the first invalid field. `from`: focus at submit; a late answer must not take it from another
 * field, where a space would press a button.
 */
export function focusFirstError(form: HTMLElement | null, from: Element | null): void {
  setTimeout(() => {
    const { activeElement: now } = document;
    if (now !== from && now?.matches("input, textarea, select")) return;
    form?.querySelector<HTMLElement>("[aria-invalid=true], [data-invalid=true]")?.focus();
  });
}
