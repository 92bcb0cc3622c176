import { clsx } from "clsx";
import { CircleAlert, CircleCheck } from "lucide-react";
import type { FocusEvent } from "react";
import { Toaster as Sonner, toast } from "sonner";
import { errorTextOf } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Icon } from "./icon.tsx";
import layoutStyles from "./layout.module.css";
import textLinkStyles from "./text-link.module.css";
import styles from "./toast.module.css";

type Action = { label: string; onPress: () => void };
type Id = string | number;
type Shown = {
  failed?: boolean;
  /** Not announced: screen readers get the text elsewhere. */
  unheard?: boolean;
  action?: { label: string; onPress: (id: Id) => void };
  /** In ms; default: its reading time. */
  duration?: number;
  id?: Id;
};

const READ_MS = 5_000;
/** Undo needs time to read and to reach. */
const REACHED_MS = 2 * READ_MS;

function show(text: string, { failed, unheard, action, duration = READ_MS, id: place }: Shown): void {
  // It stays for a moment after the press: a second press would report a failed undo.
  let pressed = false;
  let words: HTMLElement | null = null;
  // Removing a focused element fires no blur: the library would keep the old focus and steal it back later,
  // out of another field.
  const giveFocusBack = () => {
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && words?.closest("li")?.contains(focused)) focused.blur();
  };
  toast.custom(
    (id) => (
      <div
        className={clsx(styles.toast, failed && styles.failed)}
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
            className={clsx(textLinkStyles.link, styles.action)}
            data-ui="link"
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
      duration,
      onAutoClose: giveFocusBack,
      onDismiss: giveFocusBack,
    },
  );
}

/** For outcomes only; never for something the user must correct. */
export function toastDone(text: string, { label, onPress }: Partial<Action> = {}) {
  const press = (id: Id) => {
    toast.dismiss(id);
    onPress?.();
  };
  show(text, label === undefined ? {} : { action: { label, onPress: press }, duration: REACHED_MS });
}

export function toastUndo(text: string, undo: () => Promise<string>, duration = REACHED_MS) {
  const press = (id: Id) => {
    show(text, { id, duration: Number.POSITIVE_INFINITY });
    undo().then(
      (said) => show(said, { id }),
      (error: unknown) => show(errorTextOf(error, commonText.undoFailed), { id, failed: true }),
    );
  };
  show(text, { action: { label: commonText.undo, onPress: press }, duration });
}

export const toastFailed = (text: string) => show(text, { failed: true });

export const toastFieldError = (text: string) => show(text, { failed: true, unheard: true });

export const dismissToasts = () => void toast.dismiss();

/**
 * The library returns focus on leaving the toasts. That suits keyboard users; after a mouse press elsewhere
 * it would steal focus.
 */
function keyboardOnly(event: FocusEvent) {
  // The list takes focus only by its shortcut, which no browser counts as `:focus-visible`.
  if (event.target.matches("ol, :focus-visible")) asByMouse(event);
  else event.stopPropagation();
}

/** Toasts pause under the mouse; keyboard focus must pause them too. */
function asByMouse({ type, target, currentTarget, relatedTarget }: FocusEvent) {
  if (currentTarget.contains(relatedTarget)) return;
  target.dispatchEvent(new MouseEvent(type === "focus" ? "mousemove" : "mouseout", { bubbles: true }));
}

export function Toaster() {
  return (
    <div className={layoutStyles.contents} onFocusCapture={keyboardOnly} onBlurCapture={asByMouse}>
      <Sonner
        // Without it the library reads the page's direction at each render, which forces a style
        // recalculation.
        dir="ltr"
        position="bottom-right"
        offset={24}
        mobileOffset={16}
        visibleToasts={3}
        containerAriaLabel={commonText.notifications}
        toastOptions={{ unstyled: true, className: styles.item }}
      />
    </div>
  );
}
