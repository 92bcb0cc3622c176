import type { MouseEvent } from "react";

/**
 * For a button that goes with what it does, which would leave the keyboard at the top of the page. Asked as it is pressed; answers how
 * whoever pressed it by keyboard goes on: at `next`, else in what is around it and takes the keyboard.
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
    // Nobody is taken out of where they have gone meanwhile. A button that is dead lets the keyboard fall to what is around it.
    const stayed = now === document.body || now?.contains(pressed);
    if (byKeyboard && stayed && to instanceof HTMLElement) to.focus();
  };
}
