import { CircleAlert, CircleCheck } from "lucide-react";
import type { FocusEvent } from "react";
import { Toaster as Sonner, toast } from "sonner";
import "sonner/dist/styles.css";
import { faultText } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Icon } from "./icon.tsx";

type Action = { label: string; onPress: () => void };

function show(text: string, failed: boolean, action?: Action) {
  // It fades for a moment after its press: a second one would say that what was taken back cannot be.
  let pressed = false;
  let words: HTMLElement | null = null;
  // A focused element that is taken away says nothing of it: the library would hold the place where the
  // person came from, and pull them back there at some later notice, out of the field they write in.
  const giveFocusBack = () => {
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && words?.closest("li")?.contains(focused)) focused.blur();
  };
  toast.custom(
    (id) => (
      <div
        className={`toast ${failed ? "failed" : ""}`}
        ref={(element) => {
          words = element;
        }}
      >
        <Icon of={failed ? CircleAlert : CircleCheck} />
        {text}
        {action && (
          <button
            type="button"
            className="link action"
            // A press of the mouse leaves the person in the field where they were.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              if (pressed) return;
              pressed = true;
              toast.dismiss(id);
              action.onPress();
            }}
          >
            {action.label}
          </button>
        )}
      </div>
    ),
    // What can be taken back must first be read, and then be reached.
    { duration: action ? 10_000 : 5_000, onAutoClose: giveFocusBack, onDismiss: giveFocusBack },
  );
}

/** The outcome of what was just done. Never for something the person must repair. */
export const toastDone = (text: string, action?: Action) => show(text, false, action);

/** The same with a way back. `undo` brings back what was, and answers the words that say so. */
export function toastUndo(text: string, undo: () => Promise<string>) {
  const press = () =>
    void undo().then(
      (said) => toastDone(said),
      (error: unknown) => toastFailed(faultText(error, commonText.undoFailed)),
    );
  toastDone(text, { label: commonText.undo, onPress: press });
}

/** For the few faults that the product says in a toast. */
export const toastFailed = (text: string) => show(text, true);

/** What was said no longer holds. */
export const dismissToasts = () => void toast.dismiss();

/**
 * The library brings whoever leaves the notices back to where they came from. That is for the keyboard:
 * who touches a notice with the mouse and then presses elsewhere wants to be there.
 */
function keyboardOnly(event: FocusEvent) {
  // The list itself is come to by its key alone, which no browser takes for a sign that one goes by the keyboard.
  if (event.target.matches("ol, :focus-visible")) asByMouse(event);
  else event.stopPropagation();
}

/** The library holds its notices while the mouse is over them. Whoever reaches one by the keyboard has as much time; it goes on as they leave. */
function asByMouse({ type, target, currentTarget, relatedTarget }: FocusEvent) {
  if (currentTarget.contains(relatedTarget)) return;
  target.dispatchEvent(new MouseEvent(type === "focus" ? "mousemove" : "mouseout", { bubbles: true }));
}

export function Toaster() {
  return (
    <div className="contents" onFocusCapture={keyboardOnly} onBlurCapture={asByMouse}>
      <Sonner
        position="bottom-right"
        offset={24}
        mobileOffset={16}
        visibleToasts={3}
        containerAriaLabel={commonText.notifications}
        toastOptions={{ unstyled: true, className: "w-full" }}
      />
    </div>
  );
}
