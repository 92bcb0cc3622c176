import type { MouseEvent } from "react";

/**
 * Keeps keyboard focus when a click removes its own button. The result focuses `next`, else the nearest
 * focusable ancestor; no-op for the mouse.
 */
export function restoreFocus({
  currentTarget: pressed,
  detail,
}: MouseEvent): (next?: Element | null) => void {
  const byKeyboard = detail === 0;
  const around = pressed.parentElement?.closest("[tabindex]");
  return (next) => {
    const { activeElement: now } = document;
    const to = next ?? around;
    // Only if the focus has not moved elsewhere; a disabled button drops it to an ancestor.
    const stayed = now === document.body || now?.contains(pressed);
    if (byKeyboard && stayed && to instanceof HTMLElement) to.focus();
  };
}
