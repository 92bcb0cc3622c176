import { CircleAlert, CircleCheck } from "lucide-react";
import { Toaster as Sonner, toast } from "sonner";
import { faultText } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Icon } from "./icon.tsx";

type Action = { label: string; onPress: () => void };

function show(text: string, failed: boolean, action?: Action) {
  // It fades for a moment after its press: a second one would say that what was taken back cannot be.
  let pressed = false;
  toast.custom(
    (id) => (
      <div className={`toast ${failed ? "failed" : ""}`}>
        <Icon of={failed ? CircleAlert : CircleCheck} />
        {text}
        {action && (
          <button
            type="button"
            className="link action"
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
    { duration: action ? 10_000 : 5_000 },
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

export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      offset={24}
      mobileOffset={16}
      visibleToasts={3}
      containerAriaLabel={commonText.notifications}
      toastOptions={{ unstyled: true, className: "w-full" }}
    />
  );
}
