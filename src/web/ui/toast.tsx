import { CircleAlert, CircleCheck } from "lucide-react";
import type { FocusEvent } from "react";
import { Toaster as Sonner, toast } from "sonner";
import "sonner/dist/styles.css";
import { errorTextOf } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Icon } from "./icon.tsx";

type Action = { label: string; onPress: () => void };
type Id = string | number;
type Shown = {
  failed?: boolean;
  /** Seen only: whatever reads the page aloud has the words from elsewhere. */
  unheard?: boolean;
  action?: { label: string; onPress: (id: Id) => void };
  /** Ms; as long as it takes to be read by default. */
  duration?: number;
  /** The notice in whose place it stands. */
  id?: Id;
};

const READ_MS = 5_000;
/** What can be taken back must first be read, and then be reached. */
const REACHED_MS = 2 * READ_MS;

function show(text: string, { failed, unheard, action, duration = READ_MS, id: place }: Shown): void {
  // It is there for a moment after its press: a second one would say that what was taken back cannot be.
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
        aria-hidden={unheard}
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
              giveFocusBack();
              action.onPress(id);
            }}
          >
            {action.label}
          </button>
        )}
      </div>
    ),
    {
      ...(place === undefined ? {} : { id: place }),
      ...{ duration, onAutoClose: giveFocusBack, onDismiss: giveFocusBack },
    },
  );
}

/** The outcome of what was just done. Never for something the person must repair. */
export function toastDone(text: string, { label, onPress }: Partial<Action> = {}) {
  const press = (id: Id) => {
    toast.dismiss(id);
    onPress?.();
  };
  show(text, label === undefined ? {} : { action: { label, onPress: press }, duration: REACHED_MS });
}

/**
 * The same with a way back. `undo` brings back what was, and answers the words that say so; they come in the place of what was pressed,
 * which stays until then: the second press of a double one would otherwise meet what lies below, and close the window there.
 */
export function toastUndo(text: string, undo: () => Promise<string>) {
  const press = (id: Id) => {
    show(text, { id, duration: Number.POSITIVE_INFINITY });
    undo().then(
      (said) => show(said, { id }),
      (error: unknown) => show(errorTextOf(error, commonText.undoFailed), { id, failed: true }),
    );
  };
  show(text, { action: { label: commonText.undo, onPress: press }, duration: REACHED_MS });
}

/** For the few faults that the product says in a toast. */
export const toastFailed = (text: string) => show(text, { failed: true });

/** The same for what a field says as well, which is read aloud there. */
export const toastFieldError = (text: string) => show(text, { failed: true, unheard: true });

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
        // Left out, the library asks the page at each drawing, and all that was just drawn has its styles worked out for the answer.
        dir="ltr"
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
